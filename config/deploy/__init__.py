"""The process set of a team's server, from ordinary packages or in containers: docs/how-to/deployment.md."""
