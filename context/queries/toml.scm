; What a toml file defines and imports.
