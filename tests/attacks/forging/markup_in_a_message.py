"""Raises a message of HTML, SVG, Markdown and template code."""

EVERYWHERE = r"""
raise RuntimeError('</td><script>alert(1)</script><img src=x onerror=alert(1)> {{7*7}} ![x](http://a.b/c) [a](javascript:alert(1))')
"""
SAYS = "alert"
