"""What everything else needs: settings with their checks, state by names, schedules."""
