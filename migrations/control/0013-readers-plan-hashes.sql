-- PostgreSQL looks into this function whenever it plans a statement on subscribers, because of their index. A body in
-- quotes is read with the rights of whoever asks; this one was read here, so a site's reader needs no right on the
-- schema of the installation.
create or replace function facteur.email_sha1(text) returns bytea immutable strict parallel safe language sql
return facteur.digest(convert_to(lower($1), 'UTF8'), 'sha1');
