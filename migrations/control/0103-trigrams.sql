-- Indexes by trigrams find a text anywhere in a value. A site's first search has them built (subscribers/search-store.ts).
create extension if not exists pg_trgm with schema facteur;
