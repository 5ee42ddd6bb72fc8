; What a bash file defines and imports.
