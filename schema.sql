-- Made by 'npm run generate' from migrations/; read it, do not edit it.

-- The control schema

CREATE OR REPLACE FUNCTION facteur.add_turned()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config(tg_argv[0], (coalesce(nullif(current_setting(tg_argv[0], true), ''), '0')::int + 1)::text, true);
  return null;
end $function$;

create aggregate bits_of(integer, integer) (sfunc = pg_catalog.set_bit, stype = bit, initcond = repeat('0', 32768));

CREATE OR REPLACE FUNCTION facteur.count_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform facteur.note_growth(tg_table_schema,
    (select count(*)::int from changed where fld7 = 0 and fld44 in (0, 1)), 0);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION facteur.count_field_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  execute format('update %I.field_version set version = version + 1', tg_table_schema);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION facteur.count_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform facteur.note_growth(tg_table_schema,
    0, (select count(*)::int from changed where fld7 = 0 and fld44 in (0, 1)));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION facteur.count_turned()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  nb_joined int := coalesce(nullif(current_setting('facteur.nb_joined', true), ''), '0');
  nb_left int := coalesce(nullif(current_setting('facteur.nb_left', true), ''), '0');
begin
  if nb_joined = 0 and nb_left = 0 then return null; end if;
  perform facteur.note_growth(tg_table_schema, nb_joined, nb_left);
  perform set_config('facteur.nb_joined', '', true), set_config('facteur.nb_left', '', true);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION facteur.department_of_digits(key text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ select case
    when key !~ '^[0-9]{5}$' then null
    when key ~ '^20[01]' then '2A'
    when key ~ '^20[26]' then '2B'
    when key ~ '^9[78][1-8]' then left(key, 3)
    when key ~ '^(00|20|9[6-9])' then null
    else left(key, 2) end $function$;

CREATE OR REPLACE FUNCTION facteur.email_md5(text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ select decode(md5(lower($1)), 'hex') $function$;

CREATE OR REPLACE FUNCTION facteur.email_sha1(text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN digest(convert_to(lower($1), 'UTF8'::name), 'sha1'::text);

CREATE OR REPLACE FUNCTION facteur.email_sha256(text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ select sha256(convert_to(lower($1), 'UTF8')) $function$;

CREATE OR REPLACE FUNCTION facteur.email_sha512(text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ select sha512(convert_to(lower($1), 'UTF8')) $function$;

CREATE OR REPLACE FUNCTION facteur.fold(text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ begin return lower(facteur.unaccent('facteur.unaccent', $1)); end $function$;

CREATE OR REPLACE FUNCTION facteur.french_department(postcode text, country text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ select case
    when coalesce(country, 'FR') not in
      ('FR', 'GP', 'MQ', 'GF', 'RE', 'PM', 'YT', 'BL', 'MF', 'TF', 'WF', 'PF', 'NC') then null
    when octet_length(postcode) > 5 then facteur.department_of_digits(facteur.postcode_key(postcode))
    else facteur.department_of_digits(postcode) end $function$;

CREATE OR REPLACE FUNCTION facteur.no_bits()
 RETURNS bit varying
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '0'::bit(32768);

CREATE OR REPLACE FUNCTION facteur.note_growth(site_schema name, nb_joined integer, nb_left integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  said text[] := string_to_array(nullif(current_setting('facteur.growth_cause', true), ''), ' ');
begin
  if nb_joined = 0 and nb_left = 0 then return; end if;
  execute format(
    'insert into %I.growth (day, cause, id_source, nb_joined, nb_left) values ($1, $2, $3, $4, $5)', site_schema)
    using (now() at time zone 'Europe/Paris')::date, coalesce(said[1], 'api'), coalesce(said[2]::int, 0),
      nb_joined, nb_left;
end $function$;

CREATE OR REPLACE FUNCTION facteur.plane(bits bit varying, k integer)
 RETURNS bit varying[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (array_fill(no_bits(), ARRAY[k]) || bits);

CREATE OR REPLACE FUNCTION facteur.planes_add(total bit varying[], more bit varying[])
 RETURNS bit varying[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  carry bit varying;
  overlap bit varying;
  i int;
begin
  if total is null then return more; end if;
  for p in 1 .. coalesce(cardinality(more), 0) loop
    carry := more[p];
    i := p;
    while bit_count(carry) > 0 loop
      if i > cardinality(total) then
        for gap in cardinality(total) + 1 .. i - 1 loop total[gap] := facteur.no_bits(); end loop;
        total[i] := carry;
        exit;
      end if;
      overlap := total[i] & carry;
      total[i] := total[i] # carry;
      carry := overlap;
      i := i + 1;
    end loop;
  end loop;
  return total;
end $function$;

CREATE OR REPLACE FUNCTION facteur.planes_reaching(planes bit varying[], n bigint)
 RETURNS bit varying
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  top int := coalesce(cardinality(planes), 0);
  more bit varying := facteur.no_bits();
  same bit varying := ~facteur.no_bits();
begin
  if n <= 0 then return same; end if;
  if n >> top > 0 then return more; end if;
  for i in reverse top .. 1 loop
    if (n >> (i - 1)) & 1 = 1 then
      same := same & planes[i];
    else
      more := more | (same & planes[i]);
      same := same & ~planes[i];
    end if;
  end loop;
  return more | same;
end $function$;

create aggregate planes_sum(bit varying[]) (sfunc = planes_add, stype = bit varying[]);

CREATE OR REPLACE FUNCTION facteur.planes_take(total bit varying[], less bit varying[])
 RETURNS bit varying[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  borrow bit varying;
  lent bit varying;
  i int;
begin
  for p in 1 .. coalesce(cardinality(less), 0) loop
    borrow := less[p];
    i := p;
    while bit_count(borrow) > 0 loop
      if i > coalesce(cardinality(total), 0) then raise exception 'A count of activity falls below zero'; end if;
      lent := ~total[i] & borrow;
      total[i] := total[i] # borrow;
      borrow := lent;
      i := i + 1;
    end loop;
  end loop;
  return total;
end $function$;

CREATE OR REPLACE FUNCTION facteur.planes_within(planes bit varying[], lowest bigint, highest bigint)
 RETURNS bit varying
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (highest IS NULL) THEN (planes_reaching(planes, lowest))::"bit" ELSE ((planes_reaching(planes, lowest))::"bit" & (~ (planes_reaching(planes, (highest + 1)))::"bit")) END;

CREATE OR REPLACE FUNCTION facteur.postcode_key(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ select upper(translate($1, E' \t\u00a0\u202f\u2007\u2009', '')) $function$;

create table alert (
  id uuid not null default gen_random_uuid(),
  id_site integer not null,
  sender_domain text not null,
  id_provider integer not null,
  level smallint not null,
  hours integer not null,
  nb_sent integer not null,
  nb_complaints integer not null,
  raised_at timestamp with time zone not null,
  engaged_at timestamp with time zone,
  engaged_by text,
  activates_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint alert_pkey PRIMARY KEY (id),
  constraint alert_id_site_fkey FOREIGN KEY (id_site) REFERENCES site(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX alert_open ON facteur.alert USING btree (id_site, sender_domain, id_provider) WHERE (ended_at IS NULL);
CREATE INDEX alert_site ON facteur.alert USING btree (id_site, raised_at);

create table app_user (
  id integer not null generated always as identity,
  name text not null,
  email text not null,
  password_hash text,
  created_at timestamp with time zone not null,
  is_disabled boolean not null default false,
  is_administrator boolean not null default false,
  oidc_issuer text,
  oidc_subject text,
  theme text not null default 'auto'::text,
  density text not null default 'comfortable'::text,
  constraint app_user_oidc UNIQUE (oidc_issuer, oidc_subject),
  constraint app_user_pkey PRIMARY KEY (id),
  constraint app_user_density_check CHECK ((density = ANY (ARRAY['comfortable'::text, 'compact'::text]))),
  constraint app_user_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint app_user_oidc_whole CHECK (((oidc_issuer IS NULL) = (oidc_subject IS NULL))),
  constraint app_user_theme_check CHECK ((theme = ANY (ARRAY['auto'::text, 'light'::text, 'dark'::text])))
);
CREATE UNIQUE INDEX app_user_email ON facteur.app_user USING btree (lower(email));

create table audit_entry (
  id bigint not null generated always as identity,
  at timestamp with time zone not null,
  id_user integer not null,
  id_token integer,
  id_site integer,
  operation text not null,
  status smallint not null,
  address text,
  ids jsonb not null,
  constraint audit_entry_pkey PRIMARY KEY (id),
  constraint audit_entry_ids_check CHECK ((pg_column_size(ids) < 2000))
);
CREATE INDEX audit_entry_at ON facteur.audit_entry USING btree (at, id);
CREATE INDEX audit_entry_id_site ON facteur.audit_entry USING btree (id_site, at, id);
CREATE INDEX audit_entry_id_user ON facteur.audit_entry USING btree (id_user, at, id);

create table connection_permit (
  key text not null,
  number integer not null,
  owner text not null,
  held_until timestamp with time zone not null,
  constraint connection_permit_pkey PRIMARY KEY (key, number)
);

create table event_count (
  id_site integer not null,
  event text not null,
  id_provider integer not null default 0,
  total bigint not null,
  constraint event_count_pkey PRIMARY KEY (id_site, event, id_provider)
);

create table event_flush (
  process text not null,
  number integer not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint event_flush_pkey PRIMARY KEY (process)
);

create table installation (
  is_only boolean not null default true,
  secret_check bytea not null,
  held_why text,
  held_since timestamp with time zone,
  constraint installation_pkey PRIMARY KEY (is_only),
  constraint installation_is_only_check CHECK (is_only)
);

create table installation_epoch (
  number integer not null generated always as identity,
  id uuid not null,
  began_at timestamp with time zone not null,
  mark bigint not null default 0,
  server text not null,
  data_dir uuid,
  constraint installation_epoch_id_key UNIQUE (id),
  constraint installation_epoch_pkey PRIMARY KEY (number)
);

create table invoice (
  id integer not null generated always as identity,
  id_site integer not null,
  month date not null,
  nb_messages bigint not null,
  amount bigint not null,
  currency text not null,
  issued_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  is_paid boolean not null default false,
  constraint invoice_id_site_month_key UNIQUE (id_site, month),
  constraint invoice_pkey PRIMARY KEY (id),
  constraint invoice_id_site_fkey FOREIGN KEY (id_site) REFERENCES site(id) ON DELETE CASCADE
);

create table job_worker (
  id_worker text not null,
  lock_key integer not null,
  constraint job_worker_pkey PRIMARY KEY (id_worker)
);
CREATE INDEX job_worker_lock_key ON facteur.job_worker USING btree (lock_key);

create table mail_domain (
  domain text not null,
  server text not null,
  resolved_at timestamp with time zone not null,
  constraint mail_domain_pkey PRIMARY KEY (domain)
);

create table mailbox_message (
  id bigint not null generated always as identity,
  received_at timestamp with time zone not null,
  mail_from text not null,
  rcpt_to text not null,
  subject text not null,
  raw bytea not null,
  expires_at timestamp with time zone,
  constraint mailbox_message_pkey PRIMARY KEY (id)
);
CREATE INDEX mailbox_message_rcpt ON facteur.mailbox_message USING btree (lower(rcpt_to));
CREATE INDEX mailbox_message_received ON facteur.mailbox_message USING btree (received_at);

create table migration (
  name text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migration_pkey PRIMARY KEY (name)
);

create table passkey (
  id integer not null generated always as identity,
  id_user integer not null,
  name text not null,
  credential bytea not null,
  public_key bytea not null,
  counter bigint not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  challenged_at timestamp with time zone,
  constraint passkey_credential_key UNIQUE (credential),
  constraint passkey_pkey PRIMARY KEY (id),
  constraint passkey_id_user_fkey FOREIGN KEY (id_user) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX passkey_id_user ON facteur.passkey USING btree (id_user);

create table password_link (
  id_user integer not null,
  hash bytea not null,
  created_at timestamp with time zone not null,
  constraint password_link_hash_key UNIQUE (hash),
  constraint password_link_pkey PRIMARY KEY (id_user),
  constraint password_link_id_user_fkey FOREIGN KEY (id_user) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint password_link_hash_check CHECK ((length(hash) = 32))
);

create table permit_demand (
  key text not null,
  owner text not null,
  until timestamp with time zone not null,
  constraint permit_demand_pkey PRIMARY KEY (key, owner)
);

create table postcode (
  country text not null,
  code text not null,
  name text not null,
  latitude double precision not null,
  longitude double precision not null,
  constraint postcode_pkey PRIMARY KEY (country, code),
  constraint postcode_latitude_check CHECK (((latitude >= ('-90'::integer)::double precision) AND (latitude <= (90)::double precision))),
  constraint postcode_longitude_check CHECK (((longitude >= ('-180'::integer)::double precision) AND (longitude <= (180)::double precision)))
);

create table postcode_load (
  country text not null,
  source text not null,
  loaded_at timestamp with time zone not null,
  codes integer not null,
  constraint postcode_load_pkey PRIMARY KEY (country)
);

create table price (
  id_site integer not null,
  currency text not null,
  payment_days integer not null,
  steps jsonb not null,
  first_month date not null,
  constraint price_pkey PRIMARY KEY (id_site),
  constraint price_id_site_fkey FOREIGN KEY (id_site) REFERENCES site(id) ON DELETE CASCADE
);

create table provider (
  id integer not null,
  name text not null,
  max_connections integer not null default 0,
  messages_per_hour integer not null default 0,
  constraint provider_name_key UNIQUE (name),
  constraint provider_pkey PRIMARY KEY (id)
);

create table provider_domain (
  domain text not null,
  id_provider integer not null,
  is_by_mx boolean not null default false,
  constraint provider_domain_pkey PRIMARY KEY (domain),
  constraint provider_domain_id_provider_fkey FOREIGN KEY (id_provider) REFERENCES provider(id) ON DELETE CASCADE
);

create table provider_mx (
  suffix text not null,
  id_provider integer not null,
  constraint provider_mx_pkey PRIMARY KEY (suffix),
  constraint provider_mx_id_provider_fkey FOREIGN KEY (id_provider) REFERENCES provider(id) ON DELETE CASCADE
);

create table recent_event (
  id_site integer not null,
  at timestamp with time zone not null,
  id_provider integer not null,
  event text not null,
  total bigint not null,
  constraint recent_event_pkey PRIMARY KEY (id_site, at, id_provider, event)
);
CREATE INDEX recent_event_at ON facteur.recent_event USING btree (at);

create table relay_state (
  relay text not null,
  process text not null,
  is_up boolean not null,
  at timestamp with time zone not null,
  constraint relay_state_pkey PRIMARY KEY (relay, process)
);

create table report (
  guid_hash bytea not null,
  id_site integer not null,
  figures jsonb not null,
  message text,
  expires_at timestamp with time zone not null,
  constraint report_pkey PRIMARY KEY (guid_hash),
  constraint report_id_site_fkey FOREIGN KEY (id_site) REFERENCES site(id) ON DELETE CASCADE
);
CREATE INDEX report_expires ON facteur.report USING btree (expires_at);
CREATE INDEX report_site ON facteur.report USING btree (id_site, expires_at);

create table route (
  id integer not null generated always as identity,
  id_site integer not null,
  "position" integer not null default 1,
  host text not null,
  port integer not null,
  tls text not null,
  username text,
  password bytea,
  max_connections integer not null default 10,
  messages_per_hour integer not null default 0,
  constraint route_pkey PRIMARY KEY (id),
  constraint route_id_site_fkey FOREIGN KEY (id_site) REFERENCES site(id) ON DELETE CASCADE,
  constraint route_max_connections_check CHECK (((max_connections >= 1) AND (max_connections <= 200))),
  constraint route_messages_per_hour_check CHECK ((messages_per_hour >= 0)),
  constraint route_port_check CHECK (((port >= 1) AND (port <= 65535))),
  constraint route_tls_check CHECK ((tls = ANY (ARRAY['none'::text, 'starttls'::text, 'tls'::text])))
);
CREATE INDEX route_site ON facteur.route USING btree (id_site, "position");

create table route_webhook (
  id_route integer not null,
  provider text not null,
  secret bytea not null,
  constraint route_webhook_pkey PRIMARY KEY (id_route),
  constraint route_webhook_id_route_fkey FOREIGN KEY (id_route) REFERENCES route(id) ON DELETE CASCADE
);

create table send_bucket (
  key text not null,
  tokens double precision not null,
  filled_at timestamp with time zone not null,
  constraint send_bucket_pkey PRIMARY KEY (key)
);

create table sending_domain (
  id integer not null generated always as identity,
  id_site integer not null,
  domain text not null,
  dkim_selector text,
  dkim_algorithm text,
  dkim_private_key bytea,
  constraint sending_domain_algorithm UNIQUE NULLS NOT DISTINCT (id_site, domain, dkim_algorithm),
  constraint sending_domain_selector UNIQUE (id_site, domain, dkim_selector),
  constraint sending_domain_pkey PRIMARY KEY (id),
  constraint sending_domain_id_site_fkey FOREIGN KEY (id_site) REFERENCES site(id) ON DELETE CASCADE,
  constraint sending_domain_dkim_algorithm_check CHECK ((dkim_algorithm = ANY (ARRAY['rsa-sha256'::text, 'ed25519-sha256'::text])))
);

create table sending_job (
  id_site integer not null,
  id_job integer not null,
  last_log bigint not null default 0,
  done_ranges integer not null default 0,
  moved_at timestamp with time zone not null default clock_timestamp(),
  watched_at timestamp with time zone not null default clock_timestamp(),
  is_stalled boolean not null default false,
  constraint sending_job_pkey PRIMARY KEY (id_site, id_job),
  constraint sending_job_id_site_fkey FOREIGN KEY (id_site) REFERENCES site(id) ON DELETE CASCADE
);

create table session (
  id integer not null generated always as identity,
  id_user integer not null,
  hash bytea not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  constraint session_hash_key UNIQUE (hash),
  constraint session_pkey PRIMARY KEY (id),
  constraint session_id_user_fkey FOREIGN KEY (id_user) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint session_hash_check CHECK ((length(hash) = 32))
);
CREATE INDEX session_id_user ON facteur.session USING btree (id_user);

create table sftp_account (
  id_site integer not null,
  login text not null,
  password bytea not null,
  public_keys text[] not null default '{}'::text[],
  constraint sftp_account_login_key UNIQUE (login),
  constraint sftp_account_pkey PRIMARY KEY (id_site),
  constraint sftp_account_id_site_fkey FOREIGN KEY (id_site) REFERENCES site(id) ON DELETE CASCADE
);

create table single_message_site (
  id_site integer not null,
  constraint single_message_site_pkey PRIMARY KEY (id_site),
  constraint single_message_site_id_site_fkey FOREIGN KEY (id_site) REFERENCES site(id) ON DELETE CASCADE
);

create table site (
  id integer not null generated always as identity,
  name text not null,
  schema_name text not null,
  created_at timestamp with time zone not null,
  typed_confirmation_from integer not null default 10000,
  constraint site_name_key UNIQUE (name),
  constraint site_schema_name_key UNIQUE (schema_name),
  constraint site_pkey PRIMARY KEY (id),
  constraint site_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9-]{1,30}$'::text)),
  constraint site_typed_confirmation_from_check CHECK ((typed_confirmation_from >= 0))
);

create table site_migration (
  id_site integer not null,
  name text not null,
  applied_at timestamp with time zone not null default now(),
  constraint site_migration_pkey PRIMARY KEY (id_site, name),
  constraint site_migration_id_site_fkey FOREIGN KEY (id_site) REFERENCES site(id) ON DELETE CASCADE
);

create table token (
  id integer not null generated always as identity,
  id_user integer not null,
  hash bytea not null,
  label text not null default ''::text,
  role text not null,
  all_sites boolean not null default false,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint token_hash_key UNIQUE (hash),
  constraint token_pkey PRIMARY KEY (id),
  constraint token_id_user_fkey FOREIGN KEY (id_user) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint token_hash_check CHECK ((length(hash) = 32)),
  constraint token_role_check CHECK ((role = ANY (ARRAY['reader'::text, 'editor'::text, 'sender'::text, 'admin'::text])))
);

create table token_site (
  id_token integer not null,
  id_site integer not null,
  constraint token_site_pkey PRIMARY KEY (id_token, id_site),
  constraint token_site_id_site_fkey FOREIGN KEY (id_site) REFERENCES site(id) ON DELETE CASCADE,
  constraint token_site_id_token_fkey FOREIGN KEY (id_token) REFERENCES token(id) ON DELETE CASCADE
);

create table user_site (
  id_user integer not null,
  id_site integer not null,
  role text not null,
  constraint user_site_pkey PRIMARY KEY (id_user, id_site),
  constraint user_site_id_site_fkey FOREIGN KEY (id_site) REFERENCES site(id) ON DELETE CASCADE,
  constraint user_site_id_user_fkey FOREIGN KEY (id_user) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint user_site_role_check CHECK ((role = ANY (ARRAY['reader'::text, 'editor'::text, 'sender'::text, 'admin'::text])))
);

create table waiting_job (
  id bigint not null generated always as identity,
  semaphore text not null,
  task text not null,
  payload jsonb not null,
  max_attempts integer not null,
  constraint waiting_job_lane_task_payload_key UNIQUE (semaphore, task, payload),
  constraint waiting_job_pkey PRIMARY KEY (id)
);

create table webhook_request (
  id_route integer not null,
  digest bytea not null,
  at timestamp with time zone not null,
  constraint webhook_request_pkey PRIMARY KEY (id_route, digest),
  constraint webhook_request_id_route_fkey FOREIGN KEY (id_route) REFERENCES route(id) ON DELETE CASCADE
);
CREATE INDEX webhook_request_at ON facteur.webhook_request USING btree (at);

-- The schema of a site (here: demo)

CREATE OR REPLACE FUNCTION site_demo.picture_keys(content text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select coalesce(pg_catalog.array_agg(distinct pg_catalog.left(found[1], 22)), '{}')
  from pg_catalog.regexp_matches(content, '[A-Za-z0-9_-]{22}\.(?:png|jpg|gif|webp)', 'g') found
$function$;

create table ab_test (
  id_job integer not null,
  id_remainder integer not null,
  type text not null,
  due_at timestamp with time zone,
  decided_at timestamp with time zone,
  id_winner integer,
  results jsonb,
  constraint ab_test_pkey PRIMARY KEY (id_job),
  constraint ab_test_id_job_fkey FOREIGN KEY (id_job) REFERENCES job(id) ON DELETE CASCADE,
  constraint ab_test_check CHECK ((((decided_at IS NULL) = (id_winner IS NULL)) AND ((decided_at IS NULL) = (results IS NULL)))),
  constraint ab_test_type_check CHECK ((type = ANY (ARRAY['Subject'::text, 'Sender'::text, 'Content'::text])))
);

create table act_by_day (
  act smallint not null,
  days smallint not null,
  day date not null,
  chunk integer not null,
  planes bit varying[] not null,
  constraint act_by_day_pkey PRIMARY KEY (act, days, day, chunk)
);

create table act_by_sent (
  act smallint not null,
  id_sent integer not null,
  chunk integer not null,
  planes bit varying[] not null,
  constraint act_by_sent_pkey PRIMARY KEY (act, id_sent, chunk)
);

create table advertisement (
  id integer not null generated always as identity,
  id_user integer not null,
  name text not null,
  html text not null,
  is_archive boolean not null default false,
  id_advertiser integer,
  id_affiliation integer,
  ids_thematic integer[] not null default '{}'::integer[],
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint advertisement_pkey PRIMARY KEY (id),
  constraint advertisement_id_advertiser_fkey FOREIGN KEY (id_advertiser) REFERENCES advertiser(id),
  constraint advertisement_id_affiliation_fkey FOREIGN KEY (id_affiliation) REFERENCES affiliation(id),
  constraint advertisement_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)))
);

create table advertiser (
  id integer not null generated always as identity,
  name text not null,
  sector text not null,
  constraint advertiser_pkey PRIMARY KEY (id),
  constraint advertiser_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)))
);

create table affiliation (
  id integer not null generated always as identity,
  name text not null,
  web_site text not null,
  constraint affiliation_pkey PRIMARY KEY (id),
  constraint affiliation_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)))
);

create table archived_subscriber (
  id integer not null,
  email text not null,
  client_id bigint,
  archived_at timestamp with time zone not null,
  fields jsonb not null,
  fields_version integer not null default 0,
  constraint archived_subscriber_pkey PRIMARY KEY (id)
);
CREATE INDEX archived_subscriber_client ON site_demo.archived_subscriber USING btree (client_id);
CREATE INDEX archived_subscriber_email ON site_demo.archived_subscriber USING btree (lower(email));
CREATE INDEX archived_subscriber_email_md5 ON site_demo.archived_subscriber USING btree (facteur.email_md5(email));
CREATE INDEX archived_subscriber_email_sha1 ON site_demo.archived_subscriber USING btree (facteur.email_sha1(email));
CREATE INDEX archived_subscriber_email_sha256 ON site_demo.archived_subscriber USING btree (facteur.email_sha256(email));
CREATE INDEX archived_subscriber_email_sha512 ON site_demo.archived_subscriber USING btree (facteur.email_sha512(email));

create table bounce (
  id bigint not null generated always as identity,
  id_sent integer not null,
  id_subscriber integer not null,
  class smallint not null,
  status text not null default ''::text,
  diagnostic text not null default ''::text,
  at timestamp with time zone not null,
  digest bytea not null,
  is_refusal boolean not null default false,
  is_applied boolean not null default true,
  is_accepted boolean not null default false,
  is_counted boolean not null default false,
  constraint bounce_digest_key UNIQUE (digest),
  constraint bounce_pkey PRIMARY KEY (id)
);
CREATE INDEX bounce_sent ON site_demo.bounce USING btree (id_sent, id_subscriber);
CREATE INDEX bounce_unapplied ON site_demo.bounce USING btree (id) WHERE (NOT is_applied);
CREATE INDEX bounce_uncounted ON site_demo.bounce USING btree (id) WHERE ((NOT is_counted) AND (class = ANY (ARRAY[1, 2, 4, 5])));

create table campaign (
  id integer not null generated always as identity,
  id_user integer not null,
  author text not null,
  name text not null,
  parameters jsonb not null,
  html_content text not null default ''::text,
  text_content text not null default ''::text,
  preheader text not null default ''::text,
  id_camp_dynamic integer,
  auto_host_pictures boolean not null default false,
  auto_host_pictures_id_directory integer,
  is_automation boolean not null default false,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  schedule_type text not null default 'None'::text,
  schedule_state text not null default 'None'::text,
  calendar_dates timestamp with time zone[] not null default '{}'::timestamp with time zone[],
  auto_host_pictures_result jsonb,
  daily_schedule jsonb,
  constraint campaign_pkey PRIMARY KEY (id),
  constraint campaign_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint campaign_schedule_state_check CHECK ((schedule_state = ANY (ARRAY['None'::text, 'Programmed'::text, 'InProgress'::text, 'Paused'::text, 'Stopped'::text, 'Finished'::text, 'Missed'::text, 'Error'::text]))),
  constraint campaign_schedule_type_check CHECK ((schedule_type = ANY (ARRAY['None'::text, 'Calendar'::text, 'Daily'::text, 'Immediate'::text])))
);
CREATE INDEX campaign_created ON site_demo.campaign USING btree (created_at);
CREATE INDEX campaign_picture ON site_demo.campaign USING gin (picture_keys(((html_content || ' '::text) || text_content)));

create table campaign_mjml (
  id_campaign integer not null,
  mjml text not null,
  html_digest bytea not null,
  constraint campaign_mjml_pkey PRIMARY KEY (id_campaign),
  constraint campaign_mjml_id_campaign_fkey FOREIGN KEY (id_campaign) REFERENCES campaign(id) ON DELETE CASCADE
);

create table content_block (
  folded_key text not null,
  key text not null,
  value text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint content_block_pkey PRIMARY KEY (folded_key)
);

create table content_data (
  folded_key text not null,
  key text not null,
  id integer not null generated by default as identity,
  nb_rows bigint not null,
  loaded_at timestamp with time zone not null,
  constraint content_data_id_key UNIQUE (id),
  constraint content_data_pkey PRIMARY KEY (folded_key)
);

create table content_data_row (
  id_data integer not null,
  value text not null,
  content text not null,
  constraint content_data_row_pkey PRIMARY KEY (id_data, value)
);

create table delivery_failure (
  id_sent integer not null,
  id_subscriber integer not null,
  status text not null,
  reply text not null,
  constraint delivery_failure_pkey PRIMARY KEY (id_sent, id_subscriber)
);

create table device_counter (
  id_sent integer not null,
  is_mobile boolean not null,
  openings bigint not null,
  openers bigint not null,
  human_openings bigint not null,
  human_openers bigint not null,
  clicks bigint not null,
  clickers bigint not null,
  edito_clicks bigint not null,
  edito_clickers bigint not null,
  ad_clicks bigint not null,
  ad_clickers bigint not null,
  mirror_clicks bigint not null,
  mirror_clickers bigint not null,
  unsub_clicks bigint not null,
  unsub_clickers bigint not null,
  viral_clicks bigint not null,
  viral_clickers bigint not null,
  human_clickers bigint not null default 0,
  constraint device_counter_pkey PRIMARY KEY (id_sent, is_mobile)
);

create table directory (
  id integer not null generated always as identity,
  name text not null,
  is_system boolean not null default false,
  id_parent integer,
  dir_type text not null,
  constraint directory_pkey PRIMARY KEY (id),
  constraint directory_id_parent_fkey FOREIGN KEY (id_parent) REFERENCES directory(id),
  constraint directory_dir_type_check CHECK ((dir_type = ANY (ARRAY['Unknown'::text, 'Campaign'::text, 'Filter'::text, 'Pub'::text, 'Image'::text, 'URL'::text, 'Config'::text, 'Link'::text]))),
  constraint directory_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)))
);

create table erased_address (
  hash bytea not null,
  constraint erased_address_pkey PRIMARY KEY (hash)
);

create table erased_subscriber (
  id integer not null,
  constraint erased_subscriber_pkey PRIMARY KEY (id)
);

create table erasure_salt (
  is_only boolean not null default true,
  salt uuid not null default gen_random_uuid(),
  constraint erasure_salt_pkey PRIMARY KEY (is_only),
  constraint erasure_salt_is_only_check CHECK (is_only)
);

create table export_job (
  id integer not null generated always as identity,
  id_user integer not null,
  request jsonb not null,
  id_repository integer not null,
  created_at timestamp with time zone not null,
  state text not null,
  runs integer not null default 0,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  failing_since timestamp with time zone,
  nb_lines integer,
  nb_replaced bigint,
  message text not null default ''::text,
  constraint export_job_pkey PRIMARY KEY (id),
  constraint export_job_state_check CHECK ((state = ANY (ARRAY['SCHEDULED'::text, 'RUNNING'::text, 'COMPLETED'::text, 'FAILED'::text])))
);
CREATE INDEX export_job_open ON site_demo.export_job USING btree (id) WHERE (state = ANY (ARRAY['SCHEDULED'::text, 'RUNNING'::text]));

create table favourite (
  id_user integer not null,
  kind text not null,
  id_object bigint not null,
  constraint favourite_pkey PRIMARY KEY (id_user, kind, id_object)
);

create table field (
  id integer not null,
  name text not null,
  field_type text not null,
  length integer,
  list jsonb,
  description text not null default ''::text,
  is_visible boolean not null default true,
  is_editable boolean not null default true,
  is_hidden_by_customer boolean not null default false,
  emptied_version integer not null default 0,
  constraint field_pkey PRIMARY KEY (id),
  constraint field_description_check CHECK ((length(description) <= 500)),
  constraint field_field_type_check CHECK ((field_type = ANY (ARRAY['Text'::text, 'Integer'::text, 'Date'::text, 'List'::text, 'Boolean'::text]))),
  constraint field_length_check CHECK (((length >= 1) AND (length <= 10000))),
  constraint field_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)))
);

create table field_version (
  version integer not null
);

create table filter_file (
  id integer not null generated always as identity,
  filename text not null,
  id_field integer not null,
  field_type text not null,
  size bigint not null,
  modified_at timestamp with time zone not null,
  loaded_at timestamp with time zone not null,
  nb_values integer not null,
  nb_bad integer not null,
  constraint filter_file_pkey PRIMARY KEY (id)
);
CREATE INDEX filter_file_name ON site_demo.filter_file USING btree (filename, id_field);

create table filter_file_value (
  id_file integer not null,
  value text not null,
  constraint filter_file_value_pkey PRIMARY KEY (id_file, value)
);

create table forward (
  id_message integer not null,
  id_sent integer not null,
  id_subscriber integer not null,
  friend_hash bytea not null,
  friend text,
  name text,
  language text not null,
  asked_at timestamp with time zone not null,
  bounce_class smallint,
  constraint forward_id_sent_id_subscriber_friend_hash_key UNIQUE (id_sent, id_subscriber, friend_hash),
  constraint forward_pkey PRIMARY KEY (id_message),
  constraint forward_id_message_fkey FOREIGN KEY (id_message) REFERENCES single_message(id)
);
CREATE INDEX forward_friend ON site_demo.forward USING btree (friend_hash, asked_at);
CREATE INDEX forward_subscriber ON site_demo.forward USING btree (id_subscriber, asked_at);

create table forward_block (
  friend_hash bytea not null,
  at timestamp with time zone not null,
  constraint forward_block_pkey PRIMARY KEY (friend_hash)
);

create table growth (
  day date not null,
  cause text not null,
  id_source integer not null default 0,
  nb_joined integer not null default 0,
  nb_left integer not null default 0,
  is_sum boolean not null default false
);
CREATE INDEX growth_new ON site_demo.growth USING btree (day) WHERE (NOT is_sum);
CREATE UNIQUE INDEX growth_sum ON site_demo.growth USING btree (day, cause, id_source) WHERE is_sum;

create table hit_batch (
  id bigint not null generated always as identity,
  size integer not null,
  hits text not null
);

create table hit_folded (
  id bigint not null,
  at timestamp with time zone not null,
  kind smallint not null,
  class smallint not null,
  rules_version smallint not null,
  is_mobile boolean not null,
  id_sent integer not null,
  id_subscriber integer not null,
  id_link bigint,
  is_viral boolean not null default false,
  user_agent text not null,
  address inet
) partition by RANGE (at);
CREATE INDEX hit_at ON ONLY site_demo.hit_folded USING brin (at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX hit_link ON ONLY site_demo.hit_folded USING btree (id_link, at) WHERE (id_link IS NOT NULL);
CREATE INDEX hit_sent ON ONLY site_demo.hit_folded USING btree (id_sent, id_subscriber) INCLUDE (kind, class, is_viral, at, is_mobile);

create table hit_source (
  source uuid not null,
  last_batch bigint not null,
  at timestamp with time zone not null,
  constraint hit_source_pkey PRIMARY KEY (source)
);

create table import (
  id integer not null generated always as identity,
  id_user integer not null,
  author text not null,
  parameters jsonb not null,
  created_at timestamp with time zone not null,
  state text not null,
  is_deleted boolean not null default false,
  deleted_at timestamp with time zone,
  scheduling jsonb not null,
  scheduled_at timestamp with time zone not null,
  progression integer not null default 0,
  run integer not null default 1,
  attempt integer not null default 0,
  started_at timestamp with time zone,
  missed_since timestamp with time zone,
  trouble text,
  failing_since timestamp with time zone,
  filename text default (parameters ->> 'filename'::text),
  constraint import_pkey PRIMARY KEY (id),
  constraint import_state_check CHECK ((state = ANY (ARRAY['Scheduled'::text, 'InProgress'::text, 'Completed'::text, 'Paused'::text, 'PackageErrorCreation'::text])))
);
CREATE INDEX import_open ON site_demo.import USING btree (id) WHERE ((state = ANY (ARRAY['Scheduled'::text, 'InProgress'::text, 'Paused'::text])) AND (NOT is_deleted));
CREATE INDEX import_scheduled ON site_demo.import USING btree (scheduled_at);

create table import_log (
  id integer not null generated always as identity,
  id_import integer not null,
  run integer not null,
  state text not null,
  log jsonb not null,
  ended_at timestamp with time zone not null,
  file_read text,
  missed_since timestamp with time zone,
  errors_file text,
  errors_lost text,
  id_repository integer,
  constraint import_log_id_import_run_key UNIQUE (id_import, run),
  constraint import_log_pkey PRIMARY KEY (id),
  constraint import_log_id_import_fkey FOREIGN KEY (id_import) REFERENCES import(id) ON DELETE CASCADE,
  constraint import_log_state_check CHECK ((state = ANY (ARRAY['Completed'::text, 'PackageErrorCreation'::text])))
);
CREATE INDEX import_log_ended ON site_demo.import_log USING btree (ended_at);

create table import_people (
  id_import integer not null,
  run integer not null,
  kind text not null,
  part integer not null,
  people int4multirange not null,
  constraint import_people_kind_check CHECK ((kind = ANY (ARRAY['new'::text, 'changed'::text, 'unchanged'::text])))
);
CREATE INDEX import_people_page ON site_demo.import_people USING btree (id_import, run, kind, part);

create table job (
  id integer not null generated always as identity,
  id_campaign integer not null,
  is_test boolean not null,
  id_segment integer,
  state text not null,
  author text not null,
  campaign_name text not null,
  subject text not null,
  sender_domain text not null default ''::text,
  created_at timestamp with time zone not null,
  scheduled_at timestamp with time zone not null,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  error_info text,
  nb_segments integer not null default 0,
  nb_links integer not null default 0,
  nb_pub_insert integer not null default 0,
  frozen jsonb,
  tried_at timestamp with time zone,
  is_by_relay boolean,
  resumed_at timestamp with time zone,
  attempt integer not null default 0,
  resend_of integer,
  resends_uncertain boolean not null default false,
  single_version text,
  single_day date,
  paused_at timestamp with time zone,
  relay_outages jsonb not null default '[]'::jsonb,
  constraint job_pkey PRIMARY KEY (id),
  constraint job_id_campaign_fkey FOREIGN KEY (id_campaign) REFERENCES campaign(id),
  constraint job_resend_of_fkey FOREIGN KEY (resend_of) REFERENCES job(id),
  constraint job_state_check CHECK ((state = ANY (ARRAY['Programmed'::text, 'Generating'::text, 'Sending'::text, 'Paused'::text, 'Stopped'::text, 'Finished'::text, 'FinishedWithErrors'::text, 'Error'::text])))
);
CREATE INDEX job_begun ON site_demo.job USING btree (COALESCE(started_at, created_at));
CREATE INDEX job_campaign ON site_demo.job USING btree (id_campaign);
CREATE INDEX job_open ON site_demo.job USING btree (id) WHERE (state = ANY (ARRAY['Programmed'::text, 'Generating'::text, 'Sending'::text, 'Paused'::text]));
CREATE INDEX job_resend ON site_demo.job USING btree (resend_of) WHERE (resend_of IS NOT NULL);
CREATE UNIQUE INDEX job_running ON site_demo.job USING btree (id_campaign) WHERE ((NOT is_test) AND (state = ANY (ARRAY['Programmed'::text, 'Generating'::text, 'Sending'::text, 'Paused'::text])));
CREATE INDEX job_scheduled ON site_demo.job USING btree (scheduled_at);
CREATE UNIQUE INDEX job_single ON site_demo.job USING btree (id_campaign, single_day, single_version) WHERE (single_version IS NOT NULL);

create table merge_refusal (
  n integer not null,
  reason text not null,
  constraint merge_refusal_pkey PRIMARY KEY (n)
);

create table merge_state (
  version bigint not null,
  id_import integer,
  attempt integer,
  file_read text,
  merged_to integer not null default 0,
  nb_updates integer not null default 0,
  nb_inserts integer not null default 0,
  begun_at timestamp with time zone,
  snapshot text,
  server_started_at timestamp with time zone,
  counters jsonb,
  nb_unchanged integer not null default 0
);

create table object_directory (
  kind text not null,
  id_object bigint not null,
  id_directory integer not null,
  constraint object_directory_pkey PRIMARY KEY (kind, id_object, id_directory),
  constraint object_directory_id_directory_fkey FOREIGN KEY (id_directory) REFERENCES directory(id) ON DELETE CASCADE
);

create table picture (
  id integer not null generated always as identity,
  id_user integer not null,
  author text not null,
  name text not null,
  file_name text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  sha256 bytea not null,
  is_archived boolean not null default false,
  constraint picture_pkey PRIMARY KEY (id),
  constraint picture_sha256_fkey FOREIGN KEY (sha256) REFERENCES picture_file(sha256),
  constraint picture_file_name_check CHECK (((length(file_name) >= 1) AND (length(file_name) <= 255))),
  constraint picture_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)))
);
CREATE INDEX picture_sha256 ON site_demo.picture USING btree (sha256);

create table picture_file (
  sha256 bytea not null,
  key text not null,
  type text not null,
  width integer not null,
  height integer not null,
  size integer not null,
  content bytea not null,
  constraint picture_file_key_key UNIQUE (key),
  constraint picture_file_pkey PRIMARY KEY (sha256),
  constraint picture_file_height_check CHECK ((height > 0)),
  constraint picture_file_key_check CHECK ((length(key) = 22)),
  constraint picture_file_sha256_check CHECK ((length(sha256) = 32)),
  constraint picture_file_size_check CHECK ((size > 0)),
  constraint picture_file_type_check CHECK ((type = ANY (ARRAY['png'::text, 'jpg'::text, 'gif'::text, 'webp'::text]))),
  constraint picture_file_width_check CHECK ((width > 0))
);

create table provider_day (
  day date not null,
  id_provider integer not null,
  nb_sent integer not null default 0,
  nb_not_delivered integer not null default 0,
  nb_human_openers integer not null default 0,
  constraint provider_day_pkey PRIMARY KEY (day, id_provider)
);

create table receipt_range (
  id_sent integer not null,
  first_subscriber integer not null,
  last_subscriber integer not null,
  subscribers integer[] not null,
  states smallint[] not null,
  codes smallint[] not null,
  id_providers integer[] not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  delays integer[] not null,
  is_folded boolean not null default false,
  is_counted boolean not null default false,
  constraint receipt_range_pkey PRIMARY KEY (id_sent, first_subscriber)
);
CREATE INDEX receipt_range_first ON site_demo.receipt_range USING btree (first_at);
CREATE INDEX receipt_range_new ON site_demo.receipt_range USING btree (id_sent) WHERE (NOT is_folded);
CREATE INDEX receipt_range_uncounted ON site_demo.receipt_range USING btree (id_sent) WHERE (NOT is_counted);

create table received_by_day (
  id_sent integer not null,
  day date not null,
  chunk integer not null,
  received bit varying not null,
  constraint received_by_day_pkey PRIMARY KEY (id_sent, day, chunk)
);
CREATE INDEX received_by_day_day ON site_demo.received_by_day USING btree (day);

create table recipient_range (
  id_job integer not null,
  number integer not null,
  id_sent integer not null,
  subscribers integer[] not null,
  is_done boolean not null default false,
  lease_owner text,
  lease_epoch integer not null default 0,
  lease_until timestamp with time zone,
  last_commit integer not null default 0,
  not_before timestamp with time zone,
  nb_accepted integer not null default 0,
  nb_refused integer not null default 0,
  nb_expired integer not null default 0,
  nb_uncertain integer not null default 0,
  nb_cancelled integer not null default 0,
  limited_by integer[],
  constraint recipient_range_pkey PRIMARY KEY (id_job, number),
  constraint recipient_range_id_job_fkey FOREIGN KEY (id_job) REFERENCES job(id) ON DELETE CASCADE
);
CREATE INDEX recipient_range_open ON site_demo.recipient_range USING btree (id_job, number) WHERE (NOT is_done);

create table repository (
  id integer not null generated always as identity,
  host text not null,
  port integer not null,
  subfolder text not null default ''::text,
  login text not null,
  password bytea,
  host_key text not null,
  private_key bytea,
  is_default boolean not null default false,
  deleted_at timestamp with time zone,
  constraint repository_pkey PRIMARY KEY (id),
  constraint repository_check CHECK (((deleted_at IS NULL) OR ((password IS NULL) AND (private_key IS NULL) AND (NOT is_default)))),
  constraint repository_port_check CHECK (((port >= 1) AND (port <= 65535)))
);
CREATE UNIQUE INDEX repository_default ON site_demo.repository USING btree (is_default) WHERE is_default;

create table sample_data (
  is_only boolean not null default true,
  created_at timestamp with time zone not null,
  id_target integer not null,
  id_campaign integer not null,
  ids_subscriber integer[] not null,
  constraint sample_data_pkey PRIMARY KEY (is_only),
  constraint sample_data_is_only_check CHECK (is_only)
);

create table segment (
  id integer not null generated always as identity,
  id_campaign integer not null,
  "position" integer not null,
  name text not null,
  id_target integer not null,
  is_excluded boolean not null default false,
  is_random boolean not null default false,
  percent integer not null,
  fixed_values integer not null default 0,
  mail_object text,
  last_count integer,
  sender_alias text,
  spam_score double precision,
  vr_spam_score double precision,
  scored_message text,
  scored_at timestamp with time zone,
  constraint segment_id_campaign_position_key UNIQUE (id_campaign, "position") DEFERRABLE INITIALLY DEFERRED,
  constraint segment_pkey PRIMARY KEY (id),
  constraint segment_id_campaign_fkey FOREIGN KEY (id_campaign) REFERENCES campaign(id) ON DELETE CASCADE,
  constraint segment_id_target_fkey FOREIGN KEY (id_target) REFERENCES target(id),
  constraint segment_fixed_values_check CHECK ((fixed_values >= 0)),
  constraint segment_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint segment_percent_check CHECK (((percent >= 0) AND (percent <= 100))),
  constraint segment_position_check CHECK (("position" >= 1))
);

create table segment_advertisement (
  id integer not null generated always as identity,
  id_segment integer not null,
  "position" integer not null,
  id_advertisement integer not null,
  name text,
  html text,
  constraint segment_advertisement_id_segment_position_key UNIQUE (id_segment, "position"),
  constraint segment_advertisement_pkey PRIMARY KEY (id),
  constraint segment_advertisement_id_advertisement_fkey FOREIGN KEY (id_advertisement) REFERENCES advertisement(id),
  constraint segment_advertisement_id_segment_fkey FOREIGN KEY (id_segment) REFERENCES segment(id) ON DELETE CASCADE,
  constraint segment_advertisement_position_check CHECK (("position" >= 0))
);

create table send_log (
  id bigint not null generated always as identity,
  id_job integer not null,
  range_number integer not null,
  epoch integer not null,
  at timestamp with time zone not null,
  intents integer[] not null,
  outcomes integer[] not null,
  states smallint[] not null,
  codes smallint[] not null,
  constraint send_log_pkey PRIMARY KEY (id)
);
CREATE INDEX send_log_range ON site_demo.send_log USING btree (id_job, range_number);

create table sending (
  id integer not null generated always as identity,
  id_campaign integer not null,
  id_segment integer not null,
  "position" integer not null,
  name text not null,
  constraint sending_id_campaign_id_segment_key UNIQUE (id_campaign, id_segment),
  constraint sending_pkey PRIMARY KEY (id),
  constraint sending_id_campaign_fkey FOREIGN KEY (id_campaign) REFERENCES campaign(id)
);

create table sending_configuration (
  id integer not null generated always as identity,
  id_user integer not null,
  author text not null,
  name text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  sender_email text not null,
  sender_alias text not null default ''::text,
  recipient_alias text not null default ''::text,
  response_email text not null,
  response_alias text not null default ''::text,
  header_html text not null default ''::text,
  header_txt text not null default ''::text,
  footer_html text not null default ''::text,
  footer_txt text not null default ''::text,
  unsub_html text not null default ''::text,
  unsub_txt text not null default ''::text,
  object_prefix_bat text not null default ''::text,
  sender_alias_prefix_bat text not null default ''::text,
  delete_emails_after integer,
  is_archive boolean not null default false,
  page_language text not null default ''::text,
  page_color text not null default ''::text,
  page_logo text not null default ''::text,
  constraint sending_configuration_pkey PRIMARY KEY (id),
  constraint sending_configuration_delete_emails_after_check CHECK ((delete_emails_after >= 15)),
  constraint sending_configuration_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint sending_configuration_object_prefix_bat_check CHECK ((length(object_prefix_bat) <= 50)),
  constraint sending_configuration_sender_alias_prefix_bat_check CHECK ((length(sender_alias_prefix_bat) <= 50))
);

create table sent (
  id integer not null generated always as identity,
  id_job integer not null,
  id_sending integer not null,
  "position" integer not null,
  segment_name text not null,
  id_target integer not null,
  filter_name text not null,
  parameters jsonb not null,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  nb_address_to_send integer not null default 0,
  advertisements jsonb not null default '[]'::jsonb,
  constraint sent_pkey PRIMARY KEY (id),
  constraint sent_id_job_fkey FOREIGN KEY (id_job) REFERENCES job(id),
  constraint sent_id_sending_fkey FOREIGN KEY (id_sending) REFERENCES sending(id)
);
CREATE INDEX sent_job ON site_demo.sent USING btree (id_job);

create table sent_counter (
  id_sent integer not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  openings bigint not null,
  openers bigint not null,
  human_openings bigint not null,
  human_openers bigint not null,
  clicks bigint not null,
  clickers bigint not null,
  edito_clicks bigint not null,
  edito_clickers bigint not null,
  ad_clicks bigint not null,
  ad_clickers bigint not null,
  mirror_clicks bigint not null,
  mirror_clickers bigint not null,
  unsub_clicks bigint not null,
  unsub_clickers bigint not null,
  viral_clicks bigint not null,
  viral_clickers bigint not null,
  human_clickers bigint not null default 0,
  constraint sent_counter_pkey PRIMARY KEY (id_sent)
);

create table single_message (
  id integer not null generated always as identity,
  id_sent integer not null,
  id_subscriber integer not null,
  state smallint not null,
  created_at timestamp with time zone not null,
  epoch text,
  next_at timestamp with time zone not null,
  lease_number integer not null default 0,
  lease_until timestamp with time zone,
  deferrals smallint not null default 0,
  code smallint not null default 0,
  ended_at timestamp with time zone,
  lease_owner text,
  guid uuid,
  idempotency_key text,
  request_digest text,
  id_provider integer not null default 0,
  constraint single_message_pkey PRIMARY KEY (id)
);
CREATE INDEX single_message_ended ON site_demo.single_message USING btree (ended_at) WHERE (guid IS NOT NULL);
CREATE UNIQUE INDEX single_message_guid ON site_demo.single_message USING btree (guid) WHERE (guid IS NOT NULL);
CREATE UNIQUE INDEX single_message_key ON site_demo.single_message USING btree (idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX single_message_open ON site_demo.single_message USING btree (next_at) WHERE (state >= 10);

create table single_send (
  id_message integer not null,
  is_transactional boolean not null,
  data jsonb not null,
  click_tracker text not null default ''::text,
  frozen jsonb,
  attachment_names text[],
  attachment_contents bytea[],
  constraint single_send_pkey PRIMARY KEY (id_message),
  constraint single_send_id_message_fkey FOREIGN KEY (id_message) REFERENCES single_message(id)
);

create table subscriber (
  fld0 integer not null generated by default as identity,
  fld7 bigint not null default 0,
  fld44 bigint not null default 0,
  free1 bigint,
  free2 bigint,
  free3 bigint,
  free4 bigint,
  free5 timestamp with time zone,
  free6 timestamp with time zone,
  free7 integer,
  free8 boolean,
  fld2 timestamp with time zone,
  fld3 timestamp with time zone,
  fld4 timestamp with time zone,
  fld8 bigint,
  fld10 timestamp with time zone,
  fld43 bigint,
  fld45 timestamp with time zone,
  fld1 text not null,
  fld5 text,
  fld6 text,
  fld21 text,
  fld22 text,
  fld37 text default split_part(fld1, '@'::text, '-1'::integer),
  fld40 text,
  fld41 text,
  fld42 text default facteur.french_department(fld40, fld41),
  constraint subscriber_pkey PRIMARY KEY (fld0),
  constraint subscriber_fld44_check CHECK (((fld44 >= 0) AND (fld44 <= 3))),
  constraint subscriber_fld7_check CHECK ((fld7 = ANY (ARRAY[(0)::bigint, (1)::bigint]))),
  constraint subscriber_fld8_check CHECK ((fld8 = ANY (ARRAY[(0)::bigint, (1)::bigint])))
);
CREATE UNIQUE INDEX subscriber_client ON site_demo.subscriber USING btree (fld43) WHERE (fld43 IS NOT NULL);
CREATE UNIQUE INDEX subscriber_email ON site_demo.subscriber USING btree (lower(fld1));

create table subscriber_change (
  id_subscriber integer not null,
  changed_at timestamp with time zone not null,
  cause text not null,
  id_source integer not null,
  changes jsonb not null,
  fields_version integer not null,
  id bigint not null generated always as identity,
  constraint subscriber_change_pkey PRIMARY KEY (id),
  constraint subscriber_change_cause_check CHECK ((cause = ANY (ARRAY['import'::text, 'user'::text])))
);
CREATE INDEX subscriber_change_address ON site_demo.subscriber_change USING btree (id) WHERE (changes ? '1'::text);
CREATE INDEX subscriber_change_newest ON site_demo.subscriber_change USING btree (id_subscriber, changed_at, id);

create table target (
  id integer not null generated always as identity,
  id_user integer not null,
  author text not null,
  name text not null,
  is_test_target boolean not null default false,
  pct_select integer not null default 100,
  max_select integer,
  is_random_mode boolean not null default false,
  excluded_targets integer[] not null default '{}'::integer[],
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  is_archived boolean not null default false,
  deleted_at timestamp with time zone,
  constraint target_pkey PRIMARY KEY (id),
  constraint target_max_select_check CHECK ((max_select >= 0)),
  constraint target_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint target_pct_select_check CHECK (((pct_select >= 0) AND (pct_select <= 100)))
);

create table target_filter (
  id_target integer not null,
  kind text not null,
  is_enabled boolean not null,
  definition jsonb not null,
  ended_at timestamp with time zone,
  is_safe boolean not null default (is_enabled AND (kind = 'field'::text) AND (definition @> '{"filters": [{"value": "0", "idField": 7, "operator": "Equal"}]}'::jsonb)),
  constraint target_filter_pkey PRIMARY KEY (id_target, kind),
  constraint target_filter_id_target_fkey FOREIGN KEY (id_target) REFERENCES target(id) ON DELETE CASCADE
);

create table thematic (
  id integer not null generated always as identity,
  id_parent integer,
  name text not null,
  description text not null default ''::text,
  is_enabled boolean not null default true,
  constraint thematic_pkey PRIMARY KEY (id),
  constraint thematic_id_parent_fkey FOREIGN KEY (id_parent) REFERENCES thematic(id),
  constraint thematic_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)))
);

create table tracked_link (
  id bigint not null generated always as identity,
  id_campaign integer not null,
  url text not null,
  parsed_url text not null,
  origin text not null,
  id_segment integer,
  id_advertisement integer,
  is_tracked boolean not null default true,
  parameters jsonb not null,
  created_at timestamp with time zone not null,
  id_advertisement_in_segment integer,
  constraint tracked_link_pkey PRIMARY KEY (id),
  constraint tracked_link_id_campaign_fkey FOREIGN KEY (id_campaign) REFERENCES campaign(id) ON DELETE CASCADE
);
CREATE INDEX tracked_link_advertisement ON site_demo.tracked_link USING btree (id_advertisement) WHERE (id_advertisement IS NOT NULL);
CREATE UNIQUE INDEX tracked_link_url ON site_demo.tracked_link USING btree (id_campaign, origin, COALESCE(id_advertisement_in_segment, 0), md5(url));

create table unsubscription (
  id_sent integer not null,
  id_subscriber integer not null,
  at timestamp with time zone not null,
  origin text not null,
  constraint unsubscription_pkey PRIMARY KEY (id_sent, id_subscriber)
);

create view hit as
 SELECT hit_folded.id,
    hit_folded.at,
    hit_folded.kind,
    hit_folded.class,
    hit_folded.rules_version,
    hit_folded.is_mobile,
    hit_folded.id_sent,
    hit_folded.id_subscriber,
    hit_folded.id_link,
    hit_folded.is_viral,
    hit_folded.user_agent,
    hit_folded.address
   FROM hit_folded
UNION ALL
 SELECT hit_new.id,
    hit_new.at,
    hit_new.kind,
    hit_new.class,
    hit_new.rules_version,
    hit_new.is_mobile,
    hit_new.id_sent,
    hit_new.id_subscriber,
    hit_new.id_link,
    hit_new.is_viral,
    hit_new.user_agent,
    hit_new.address
   FROM hit_new;

create view hit_new as
 SELECT b.id,
    ('1970-01-01 00:00:00+00'::timestamp with time zone + (((split_part(fact.fact, ' '::text, 1))::bigint)::double precision * '00:00:00.001'::interval)) AS at,
    (split_part(fact.fact, ' '::text, 2))::smallint AS kind,
    (split_part(fact.fact, ' '::text, 3))::smallint AS class,
    (split_part(fact.fact, ' '::text, 7))::smallint AS rules_version,
    (split_part(fact.fact, ' '::text, 8))::boolean AS is_mobile,
    (split_part(fact.fact, ' '::text, 4))::integer AS id_sent,
    (split_part(fact.fact, ' '::text, 5))::integer AS id_subscriber,
    (NULLIF(split_part(fact.fact, ' '::text, 9), ''::text))::bigint AS id_link,
    (split_part(fact.fact, ' '::text, 6))::boolean AS is_viral,
    split_part(of_agent.of_agent, ''::text, 1) AS user_agent,
    (NULLIF(split_part(fact.fact, ' '::text, 10), ''::text))::inet AS address
   FROM hit_batch b,
    LATERAL string_to_table(b.hits, ''::text) of_agent(of_agent),
    LATERAL string_to_table(split_part(of_agent.of_agent, ''::text, 2), ''::text) fact(fact);

create view known_campaign as
 SELECT id,
    name
   FROM campaign;

create view known_import as
 SELECT id,
    filename
   FROM import;

create view known_job as
 SELECT id,
    id_campaign,
    (state <> ALL (ARRAY['Stopped'::text, 'Finished'::text, 'FinishedWithErrors'::text, 'Error'::text])) AS is_open
   FROM job;

create view known_sent as
 SELECT s.id,
    s.id_job,
    s.segment_name,
    j.id_campaign,
    j.campaign_name,
    j.is_test,
    j.started_at,
    COALESCE((c.parameters ->> 'type'::text), 'Unknown'::text) AS campaign_type,
    ((c.parameters ->> 'idThematic'::text))::integer AS id_thematic
   FROM ((sent s
     LEFT JOIN job j ON ((j.id = s.id_job)))
     LEFT JOIN campaign c ON ((c.id = j.id_campaign)));

create view link_thematic as
 SELECT tracked_link.id AS id_link,
    ((tracked_link.parameters ->> 'idThematic'::text))::integer AS id_thematic
   FROM tracked_link
UNION ALL
 SELECT link.id AS id_link,
    unnest(a.ids_thematic) AS id_thematic
   FROM (advertisement a
     JOIN tracked_link link ON ((link.id_advertisement = a.id)));

create view logged_outcome as
 SELECT r.id_job,
    r.number,
    r.id_sent,
    o.id_subscriber,
    o.state,
    l.at
   FROM (recipient_range r
     JOIN send_log l ON (((l.id_job = r.id_job) AND (l.range_number = r.number)))),
    LATERAL UNNEST(l.outcomes, l.states) o(id_subscriber, state)
  WHERE (NOT r.is_done);

create view merge_progress as
 SELECT version,
    id_import,
        CASE
            WHEN (server_started_at = pg_postmaster_start_time()) THEN snapshot
            ELSE NULL::text
        END AS snapshot
   FROM merge_state;

create view range_progress as
 SELECT id_job,
    number,
    id_sent,
    is_done,
    nb_accepted,
    subscribers
   FROM recipient_range;

create view receipt as
 SELECT r.id_sent,
    one.id_subscriber,
    one.state,
    one.code,
    one.id_provider,
    (r.first_at + ((one.delay)::double precision * '00:00:00.001'::interval)) AS at
   FROM receipt_range r,
    LATERAL UNNEST(r.subscribers, r.states, r.codes, r.id_providers, r.delays) one(id_subscriber, state, code, id_provider, delay);

create view target_use as
 SELECT ((campaign.parameters ->> 'idTestTarget'::text))::integer AS id_target,
    campaign.id AS id_campaign
   FROM campaign
  WHERE (campaign.schedule_state = ANY (ARRAY['Programmed'::text, 'InProgress'::text, 'Paused'::text]))
UNION
 SELECT s.id_target,
    c.id AS id_campaign
   FROM (campaign c
     JOIN segment s ON ((s.id_campaign = c.id)))
  WHERE (c.schedule_state = ANY (ARRAY['Programmed'::text, 'InProgress'::text, 'Paused'::text]));

