"""What the posterior says of results: draws of whole sortings, findings with intervals, reports."""
