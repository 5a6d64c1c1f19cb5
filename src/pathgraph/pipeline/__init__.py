"""Pipeline: what the stages of a run share, and the stages that are more than one pure call. Knows no Prefect."""
