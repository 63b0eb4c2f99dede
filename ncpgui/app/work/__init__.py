"""What runs beside the person: jobs, their queue, sampling, saving, data of panels."""
