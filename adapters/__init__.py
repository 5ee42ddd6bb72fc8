"""Foreign programs: coding agents and the tools we serve to them."""
