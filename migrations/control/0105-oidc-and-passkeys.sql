-- The account at an OpenID Connect provider that a user has signed in with: from then on this account is theirs, even
-- when its email address changes.
alter table app_user add column oidc_issuer text, add column oidc_subject text,
  add constraint app_user_oidc unique (oidc_issuer, oidc_subject),
  add constraint app_user_oidc_whole check ((oidc_issuer is null) = (oidc_subject is null));

-- A passkey (WebAuthn credential) by which a user signs in without their password.
create table passkey (
  id int generated always as identity primary key,
  id_user int not null references app_user on delete cascade,
  name text not null,
  credential bytea not null unique,
  public_key bytea not null,
  -- How many signatures the authenticator has made; 0 for those that do not count.
  counter bigint not null,
  -- How the browser reaches the authenticator.
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  -- When the challenge was made that the passkey has signed last: an older one is not accepted again.
  challenged_at timestamptz
);
create index passkey_id_user on passkey (id_user);
