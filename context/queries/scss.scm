; What a scss file defines and imports.
