"""Settings of all property tests: how long an example takes on a busy machine is no claim of ours."""

from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
