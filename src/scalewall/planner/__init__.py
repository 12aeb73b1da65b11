"""The planner: what one given layout of one model on one cluster takes in time and memory."""
