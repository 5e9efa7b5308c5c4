"""The Helm chart as tests and scripts/render-chart see it."""
