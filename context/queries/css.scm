; What a css file defines and imports.
