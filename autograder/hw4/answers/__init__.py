"""What is right and what each mistake is: the judge's side alone has these."""
