-- Indexes by trigrams find a text anywhere in a value. A site's first search has them built (subscribers/search-store.ts).
-- The extension has a schema of its own: the control schema has no operators that an expression could reach.
create schema if not exists facteur_trigrams;
create extension if not exists pg_trgm with schema facteur_trigrams;
