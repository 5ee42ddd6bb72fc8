; What a markdown file defines and imports.
