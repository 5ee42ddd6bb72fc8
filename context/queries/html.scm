; What a html file defines and imports.
