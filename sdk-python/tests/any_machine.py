"""Apart from conftest.py, which every Python of the machine must be able to import: Hypothesis is made for one."""

from hypothesis import HealthCheck, settings

on_any_machine = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""How long an input takes to make and to try says how busy the machine is."""
