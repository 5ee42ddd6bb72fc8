; What a json file defines and imports.
