; What a yaml file defines and imports.
