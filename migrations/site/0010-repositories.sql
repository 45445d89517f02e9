-- Repositories may sign in with a key, and one of them can be the site's default in place of its own folder. A deleted
-- one stays as a row without its secrets, because exports that were made name it.

-- No operation could register one before, and without the server's key it could not be used from now on.
delete from repository where host_key is null;

alter table repository
  -- The server's public key as OpenSSH writes it (`ssh-ed25519 AAAA…`), known from the registration on.
  alter host_key set not null,
  add private_key bytea,
  add is_default boolean not null default false,
  add deleted_at timestamptz,
  add check (deleted_at is null or (password is null and private_key is null and not is_default));
create unique index repository_default on repository (is_default) where is_default;
