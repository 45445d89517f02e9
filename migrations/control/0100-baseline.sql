-- The control schema: everything that belongs to the installation, slice by slice (ARCHITECTURE.md). Sites have schemas
-- of their own.

-- == functions that the tables and indexes of every site use; immutable, so that indexes can hold them

create extension if not exists pgcrypto with schema facteur;
create extension if not exists unaccent with schema facteur;

-- Text as filters compare it: ignoring case and accents. In PL/pgSQL because a function in SQL around unaccent, which is
-- only stable, cannot be inlined and is slower: 2,000 ms per million rows instead of 600 (PostgreSQL 18.4, one process).
create function fold(text) returns text immutable strict parallel safe language plpgsql
  as $$ begin return lower(facteur.unaccent('facteur.unaccent', $1)); end $$;

-- The four hashes of an email address, over the UTF-8 bytes of its lower-case form.
create function email_md5(text) returns bytea immutable strict parallel safe language sql
  -- The server's own md5 of text takes 0.5 µs, pgcrypto's digest 4.4.
  as $$ select decode(md5(lower($1)), 'hex') $$;
-- The body is parsed here, not quoted: PostgreSQL inlines it whenever it plans a statement on subscribers, because of
-- their index. A quoted body would be parsed with the rights of a site's reader, who has none on this schema.
create function email_sha1(text) returns bytea immutable strict parallel safe language sql
return facteur.digest(convert_to(lower($1), 'UTF8'), 'sha1');
create function email_sha256(text) returns bytea immutable strict parallel safe language sql
  as $$ select sha256(convert_to(lower($1), 'UTF8')) $$;
create function email_sha512(text) returns bytea immutable strict parallel safe language sql
  as $$ select sha512(convert_to(lower($1), 'UTF8')) $$;

-- Postcodes are stored as they were written (“75 001”, “sw1a 1aa”) and compared without spaces and in capitals. The
-- spaces are those that people and programs write: space, tab, no-break (also narrow), figure and thin space.
create function facteur.postcode_key(text) returns text immutable strict parallel safe language sql
  as $$ select upper(translate($1, E' \t\u00a0\u202f\u2007\u2009', '')) $$;

-- The department of five digits: the first two, three digits overseas, 2A and 2B in Corsica.
create function facteur.department_of_digits(key text) returns text immutable parallel safe language sql
  as $$ select case
    when key !~ '^[0-9]{5}$' then null
    when key ~ '^20[01]' then '2A'
    when key ~ '^20[26]' then '2B'
    when key ~ '^9[78][1-8]' then left(key, 3)
    when key ~ '^(00|20|9[6-9])' then null
    else left(key, 2) end $$;

-- The French department of a postcode. A postcode of another country has none; a subscriber without a country counts as
-- French. A value of five bytes has no spaces to remove.
create function facteur.french_department(postcode text, country text) returns text immutable parallel safe language sql
  as $$ select case
    when coalesce(country, 'FR') not in
      ('FR', 'GP', 'MQ', 'GF', 'RE', 'PM', 'YT', 'BL', 'MF', 'TF', 'WF', 'PF', 'NC') then null
    when octet_length(postcode) > 5 then facteur.department_of_digits(facteur.postcode_key(postcode))
    else facteur.department_of_digits(postcode) end $$;

-- Counts a change of a site's fields in that site's own field_version.
create function count_field_change() returns trigger language plpgsql as $$
begin
  execute format('update %I.field_version set version = version + 1', tg_table_schema);
  return null;
end $$;

-- == installation

-- One row. `secret_check` is a signature made with the installation's secret: a process that was started with another
-- secret fails at once, instead of making links that the others reject and reading passwords that it cannot decrypt.
create table installation (
  is_only boolean primary key default true check (is_only),
  secret_check bytea not null,
  -- Why an operator's check holds all sending, and since when; null if nothing holds it.
  held_why text,
  held_since timestamptz
);

-- Periods of the installation's life; the newest is current. They distinguish a restored or cloned database from the one
-- that this installation has sent with (installation/check-installation.ts).
create table installation_epoch (
  number int generated always as identity primary key,
  id uuid not null unique,
  began_at timestamptz not null,
  -- Rises while messages are sent, and is then written to the data directory. A database with a lower mark than its data
  -- directory is older than what was sent.
  mark bigint not null default 0,
  -- The numbers of the server and the database, which a dump does not contain.
  server text not null,
  -- The data directory of the embedded database; null with a separate server.
  data_dir uuid
);

-- == background tasks

-- The workers of each process. A process holds an advisory lock of its key while it lives: once the lock is free, the
-- process has ended, and its tasks can be given to others.
create table job_worker (
  id_worker text primary key,
  lock_key int not null
);
create index job_worker_lock_key on job_worker (lock_key);

-- Tasks that found no free permit (platform/task-permits.ts), in order of arrival. The task that releases one puts the first
-- of them back into the queue.
create table waiting_job (
  id bigint generated always as identity primary key,
  lane text not null,
  task text not null,
  payload jsonb not null,
  max_attempts int not null,
  unique (lane, task, payload)
);

-- Totals over all processes and their restarts, for the metrics: mail by provider, hits, imports, exports.
create table event_count (
  id_site int not null,
  event text not null,
  -- The provider of an email address; 0 for a domain without a listed provider, and for other events.
  id_provider int not null default 0,
  total bigint not null,
  primary key (id_site, event, id_provider)
) with (fillfactor = 50);

-- Processes add their counts every few seconds, under rising numbers. A flush that is repeated because the reply to its
-- commit was lost adds nothing.
create table event_flush (
  process text primary key,
  number int not null,
  at timestamptz not null default clock_timestamp()
);

-- == accounts

create table site (
  id int generated always as identity primary key,
  name text not null unique check (name ~ '^[a-z0-9][a-z0-9-]{1,30}$'),
  schema_name text not null unique,
  created_at timestamptz not null
);

-- The migrations that each site's schema has had.
create table site_migration (
  id_site int not null references site on delete cascade,
  name text not null,
  applied_at timestamptz not null default now(),
  primary key (id_site, name)
);

create table app_user (
  id int generated always as identity primary key,
  name text not null check (length(name) between 1 and 255),
  email text not null,
  password_hash text,
  created_at timestamptz not null,
  -- Tokens of a disabled user are rejected; their objects stay, with their name.
  is_disabled boolean not null default false
);
create unique index app_user_email on app_user (lower(email));

create table token (
  id int generated always as identity primary key,
  id_user int not null references app_user on delete cascade,
  -- SHA-256 of the token; the token itself is shown once and stored nowhere.
  hash bytea not null unique check (length(hash) = 32),
  label text not null default '',
  role text not null check (role in ('reader', 'editor', 'sender', 'admin')),
  all_sites boolean not null default false,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);

create table token_site (
  id_token int not null references token on delete cascade,
  id_site int not null references site on delete cascade,
  primary key (id_token, id_site)
);

-- Each site's account on the embedded SFTP server; the password is encrypted with the installation's secret.
create table sftp_account (
  id_site int primary key references site on delete cascade,
  login text not null unique,
  password bytea not null,
  public_keys text[] not null default '{}'
);

-- SMTP relays. A site without one uses FACTEUR_SMTP_URL, and without that the built-in mailbox.
create table route (
  id int generated always as identity primary key,
  id_site int not null references site on delete cascade,
  position int not null default 1,
  host text not null,
  port int not null check (port between 1 and 65535),
  tls text not null check (tls in ('none', 'starttls', 'tls')),
  username text,
  password bytea,
  max_connections int not null default 10 check (max_connections between 1 and 200),
  messages_per_hour int not null default 0 check (messages_per_hour >= 0)
);
create index route_site on route (id_site, position);

-- How the provider of a route reports bounces and complaints over HTTP, and what authenticates its requests.
create table route_webhook (
  id_route int primary key references route(id) on delete cascade,
  provider text not null,
  -- A key, a password or, for Amazon, the topic; encrypted.
  secret bytea not null
);

-- Signed requests that were accepted, by SHA-256 of what makes each unique, while their timestamp is still valid.
create table webhook_request (
  id_route int not null references route(id) on delete cascade,
  digest bytea not null,
  at timestamptz not null,
  primary key (id_route, digest)
);
create index webhook_request_at on webhook_request (at);

-- Domains that sites send from, with the DKIM keys that sign for them (private keys encrypted).
create table sending_domain (
  id int generated always as identity primary key,
  id_site int not null references site on delete cascade,
  domain text not null,
  dkim_selector text,
  dkim_algorithm text check (dkim_algorithm in ('rsa-sha256', 'ed25519-sha256')),
  dkim_private_key bytea,
  -- One key per algorithm: RSA beside Ed25519, which many receivers cannot verify.
  constraint sending_domain_algorithm unique nulls not distinct (id_site, domain, dkim_algorithm),
  -- Two keys at one selector would be two DNS records with one name.
  constraint sending_domain_selector unique (id_site, domain, dkim_selector)
);

-- Mailbox providers and their domains. A domain that is not listed has provider 0.
create table provider (
  id int primary key,
  name text not null unique,
  max_connections int not null default 0,
  messages_per_hour int not null default 0
);
create table provider_domain (
  domain text primary key,
  id_provider int not null references provider on delete cascade,
  -- Whether the row follows from provider_mx and mail_domain; the others are set by administrators.
  is_by_mx boolean not null default false
);
-- Mail servers of a provider: other people's domains that it hosts belong to it too.
create table provider_mx (
  suffix text primary key,
  id_provider int not null references provider on delete cascade
);
-- The preferred mail server of a domain, as DNS last reported it; '' for a domain without one.
create table mail_domain (
  domain text primary key,
  server text not null,
  resolved_at timestamptz not null
);

-- The mailbox providers that a sender in France and its neighbours meets most, with their own domains.
insert into provider (id, name) values
  (1, 'Gmail'), (2, 'Microsoft'), (3, 'Yahoo'), (4, 'Apple'), (5, 'Orange'), (6, 'Free'), (7, 'SFR'),
  (8, 'La Poste'), (9, 'Bouygues Telecom'), (10, 'GMX'), (11, 'WEB.DE'), (12, 'T-Online'), (13, 'Proximus'),
  (14, 'Telenet'), (15, 'Bluewin'), (16, 'Proton'), (17, 'Libero'), (18, 'Numericable'), (19, 'OVHcloud'),
  (20, 'Mail.ru');

insert into provider_domain (domain, id_provider) values
  ('gmail.com', 1), ('googlemail.com', 1),
  ('outlook.com', 2), ('outlook.fr', 2), ('outlook.be', 2), ('outlook.de', 2), ('hotmail.com', 2),
  ('hotmail.fr', 2), ('hotmail.be', 2), ('hotmail.de', 2), ('hotmail.ch', 2), ('hotmail.it', 2),
  ('hotmail.es', 2), ('hotmail.co.uk', 2), ('live.com', 2), ('live.fr', 2), ('live.be', 2), ('msn.com', 2),
  ('yahoo.com', 3), ('yahoo.fr', 3), ('yahoo.be', 3), ('yahoo.de', 3), ('yahoo.es', 3), ('yahoo.it', 3),
  ('yahoo.co.uk', 3), ('ymail.com', 3), ('rocketmail.com', 3), ('aol.com', 3), ('aol.fr', 3),
  ('icloud.com', 4), ('me.com', 4), ('mac.com', 4),
  ('orange.fr', 5), ('wanadoo.fr', 5), ('voila.fr', 5),
  ('free.fr', 6), ('aliceadsl.fr', 6), ('libertysurf.fr', 6),
  ('sfr.fr', 7), ('neuf.fr', 7), ('cegetel.net', 7), ('club-internet.fr', 7), ('9online.fr', 7),
  ('laposte.net', 8),
  ('bbox.fr', 9),
  ('gmx.fr', 10), ('gmx.com', 10), ('gmx.net', 10), ('gmx.de', 10), ('gmx.ch', 10), ('gmx.at', 10), ('caramail.com', 10),
  ('web.de', 11),
  ('t-online.de', 12),
  ('skynet.be', 13), ('proximus.be', 13),
  ('telenet.be', 14),
  ('bluewin.ch', 15),
  ('proton.me', 16), ('protonmail.com', 16), ('pm.me', 16),
  ('libero.it', 17),
  ('numericable.fr', 18), ('noos.fr', 18),
  ('ovh.fr', 19),
  ('mail.ru', 20), ('bk.ru', 20), ('inbox.ru', 20), ('list.ru', 20);
insert into provider_mx (suffix, id_provider) values
  ('google.com', 1), ('googlemail.com', 1), ('outlook.com', 2), ('yahoodns.net', 3), ('icloud.com', 4),
  ('protonmail.ch', 16), ('ovh.net', 19);

-- == activity

-- Bit-sliced counts. Ids are cut into chunks of 32,768 (id >> 15). The counts of a chunk's ids are held in bit planes:
-- bit n of plane k is the k-th binary digit (from 1, the lowest) of the count of id n. Planes are added, subtracted and
-- compared for all ids at once: a machine word holds 64 subscribers.

create function facteur.no_bits() returns bit varying language sql immutable parallel safe
return b'0'::bit(32768);

-- The set of offsets (first argument, 0 to 32,767) of rows; the second argument is 1.
-- Its initial value is 32,768 zeros, which SQL cannot write in a shorter way.
do $$
begin
  execute format('create aggregate facteur.bits_of(int, int) (sfunc = set_bit, stype = bit, initcond = %L, parallel = safe)',
    repeat('0', 32768));
end $$;

-- The planes of “2 to the power k for each of these”.
create function facteur.plane(bits bit varying, k int) returns bit varying[] language sql immutable parallel safe
return array_fill(facteur.no_bits(), array[k]) || bits;

create function facteur.planes_add(total bit varying[], more bit varying[]) returns bit varying[]
language plpgsql immutable parallel safe as $$
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
end $$;

create aggregate facteur.planes_sum(bit varying[]) (sfunc = facteur.planes_add, stype = bit varying[],
  combinefunc = facteur.planes_add, parallel = safe);

-- Subtracts counts. A count below zero is a defect, so it is an error.
create function facteur.planes_take(total bit varying[], less bit varying[]) returns bit varying[]
language plpgsql immutable parallel safe as $$
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
end $$;

-- The ids with a count of at least n.
create function facteur.planes_reaching(planes bit varying[], n bigint) returns bit varying
language plpgsql immutable parallel safe as $$
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
end $$;

-- The ids with a count from `lowest` to `highest`; null means no upper limit.
create function facteur.planes_within(planes bit varying[], lowest bigint, highest bigint) returns bit varying
language sql immutable parallel safe
return case when highest is null then facteur.planes_reaching(planes, lowest)
  else facteur.planes_reaching(planes, lowest) & ~facteur.planes_reaching(planes, highest + 1) end;

-- == targets

-- The location of postcodes, for all sites: a row per postcode of a country (ISO 3166-1), with its place and the centre
-- of its places. For the United Kingdom, the outward codes (SW1A), by which subscribers are found.
create table postcode (
  country text not null,
  code text not null,
  name text not null,
  latitude double precision not null check (latitude between -90 and 90),
  longitude double precision not null check (longitude between -180 and 180),
  primary key (country, code)
);

-- The source of each country's postcodes. Processes keep postcodes in memory and compare this row.
create table postcode_load (
  country text primary key,
  source text not null,
  loaded_at timestamptz not null,
  codes int not null
);

-- == alerts

-- Complaints about messages from one sender domain to one provider (0: domains without a listed provider). A pair has at
-- most one open alert. The figures are those of the window that raised it.
create table alert (
  id uuid primary key default gen_random_uuid(),
  id_site int not null references site(id) on delete cascade,
  sender_domain text not null,
  id_provider int not null,
  -- 1: a warning. 2: suspended by the last hour. 3: suspended by the last 24 hours, until an administrator unlocks it.
  level smallint not null,
  hours int not null,
  nb_sent int not null,
  nb_complaints int not null,
  raised_at timestamptz not null,
  engaged_at timestamptz,
  engaged_by text,
  -- When sending resumes after an unlock.
  activates_at timestamptz,
  ended_at timestamptz
);
create unique index alert_open on alert (id_site, sender_domain, id_provider) where ended_at is null;
create index alert_site on alert (id_site, raised_at);

-- == sending: what the engines of several processes share

-- Jobs of all sites that have recipients left: the engines' work list. A row is only a hint; the site's own tables
-- decide. The other columns are the progress that the watch has seen, by the database's clock.
create table sending_job (
  id_site int not null references site on delete cascade,
  id_job int not null,
  -- The highest number in the job's log, and its number of done ranges: all progress changes one of them.
  last_log bigint not null default 0,
  done_ranges int not null default 0,
  -- When that last changed, or the job last had a reason to wait.
  moved_at timestamptz not null default clock_timestamp(),
  -- When a process last looked.
  watched_at timestamptz not null default clock_timestamp(),
  is_stalled boolean not null default false,
  primary key (id_site, id_job)
);

-- Sites with single messages to hand over (sending/single-message.ts): a hint by which engines find them.
create table single_message_site (
  id_site int primary key references site on delete cascade
);

-- Token buckets for a job's speed and for the messages per hour of a route or a provider: `tokens` at `filled_at`.
create table send_bucket (
  key text primary key,
  tokens double precision not null,
  filled_at timestamptz not null
);

-- Connections that a process may open to a route, or to a provider (`provider:<id>`). A slot is held for a short time
-- and renewed, so that the slots of a dead process become free by themselves.
create table connection_slot (
  route text not null,
  number int not null,
  owner text not null,
  held_until timestamptz not null,
  primary key (route, number)
);

-- One process may use all slots of a route, but the slots of a provider are shared by the processes that have messages
-- for it: each registers its demand here.
create table slot_demand (
  route text not null,
  owner text not null,
  until timestamptz not null,
  primary key (route, owner)
);

-- Whether relays accept connections, as each sending process sees it.
create table relay_state (
  relay text not null,
  process text not null,
  is_up boolean not null,
  at timestamptz not null,
  primary key (relay, process)
);

-- == bounces

-- The built-in mailbox: messages that were sent while no relay was configured.
create table mailbox_message (
  id bigint generated always as identity primary key,
  received_at timestamptz not null,
  mail_from text not null,
  rcpt_to text not null,
  subject text not null,
  raw bytea not null,
  -- From the header Expires; null means never.
  expires_at timestamptz
);
create index mailbox_message_rcpt on mailbox_message (lower(rcpt_to));
create index mailbox_message_received on mailbox_message (received_at);

-- == statistics

-- Reports of sendings, with the figures of the time when they were generated. A report is found by the SHA-256 of its
-- GUID only: a reader of the database cannot open one.
create table report (
  guid_hash bytea primary key,
  id_site int not null references site(id) on delete cascade,
  figures jsonb not null,
  -- The click map: the HTML of the message with the share of each link; null for a text message.
  message text,
  expires_at timestamptz not null
);
create index report_expires on report (expires_at);
create index report_site on report (id_site, expires_at);

-- == invoices

-- The price of a site's messages; a site without a row has no invoices.
create table price (
  id_site int primary key references site(id) on delete cascade,
  -- ISO 4217.
  currency text not null,
  payment_days int not null,
  -- [{"from": 0, "perThousand": 0.8}, …]: the price of a thousand messages, from that message of the month on.
  steps jsonb not null,
  -- The first month that is invoiced: the one in which the site first had prices.
  first_month date not null
);

-- One for each past month of Paris time. Its figures never change; prices of later months may.
create table invoice (
  id int primary key generated always as identity,
  id_site int not null references site(id) on delete cascade,
  month date not null,
  nb_messages bigint not null,
  -- In hundredths of the currency.
  amount bigint not null,
  currency text not null,
  issued_at timestamptz not null,
  due_at timestamptz not null,
  is_paid boolean not null default false,
  unique (id_site, month)
);

-- == data

-- Postcodes to try a new installation with: larger towns, their centres accurate to some hundred metres. A loaded file
-- replaces the rows of its country.
insert into postcode (country, code, name, latitude, longitude) values
  ('FR','75001','Paris',48.8626,2.3363), ('FR','75002','Paris',48.8680,2.3444), ('FR','75003','Paris',48.8630,2.3601),
  ('FR','75004','Paris',48.8543,2.3576), ('FR','75005','Paris',48.8445,2.3507), ('FR','75006','Paris',48.8491,2.3329),
  ('FR','75007','Paris',48.8562,2.3122), ('FR','75008','Paris',48.8727,2.3126), ('FR','75009','Paris',48.8772,2.3375),
  ('FR','75010','Paris',48.8761,2.3607), ('FR','75011','Paris',48.8591,2.3800), ('FR','75012','Paris',48.8352,2.4212),
  ('FR','75013','Paris',48.8283,2.3624), ('FR','75014','Paris',48.8292,2.3266), ('FR','75015','Paris',48.8401,2.2930),
  ('FR','75016','Paris',48.8604,2.2620), ('FR','75017','Paris',48.8873,2.3068), ('FR','75018','Paris',48.8926,2.3482),
  ('FR','75019','Paris',48.8871,2.3849), ('FR','75020','Paris',48.8634,2.4012), ('FR','69001','Lyon',45.7699,4.8292),
  ('FR','69002','Lyon',45.7519,4.8269), ('FR','69003','Lyon',45.7535,4.8690), ('FR','69004','Lyon',45.7780,4.8237),
  ('FR','69005','Lyon',45.7564,4.8019), ('FR','69006','Lyon',45.7725,4.8520), ('FR','69007','Lyon',45.7337,4.8377),
  ('FR','69008','Lyon',45.7348,4.8707), ('FR','69009','Lyon',45.7815,4.8056), ('FR','69100','Villeurbanne',45.7719,4.8902),
  ('FR','13001','Marseille',43.2999,5.3824), ('FR','13002','Marseille',43.3125,5.3647),
  ('FR','13003','Marseille',43.3120,5.3786), ('FR','13004','Marseille',43.3068,5.3999),
  ('FR','13005','Marseille',43.2929,5.3986), ('FR','13006','Marseille',43.2874,5.3803),
  ('FR','13007','Marseille',43.2816,5.3630), ('FR','13008','Marseille',43.2535,5.3790),
  ('FR','13009','Marseille',43.2420,5.4250), ('FR','13010','Marseille',43.2768,5.4260),
  ('FR','13011','Marseille',43.2890,5.4790), ('FR','13012','Marseille',43.3060,5.4400),
  ('FR','13013','Marseille',43.3490,5.4280), ('FR','13014','Marseille',43.3440,5.3960),
  ('FR','13015','Marseille',43.3570,5.3670), ('FR','13016','Marseille',43.3660,5.3390),
  ('FR','31000','Toulouse',43.6045,1.4440), ('FR','06000','Nice',43.7034,7.2663), ('FR','44000','Nantes',47.2173,-1.5534),
  ('FR','34000','Montpellier',43.6119,3.8772), ('FR','67000','Strasbourg',48.5831,7.7479),
  ('FR','33000','Bordeaux',44.8378,-0.5792), ('FR','59000','Lille',50.6330,3.0586), ('FR','35000','Rennes',48.1147,-1.6794),
  ('FR','51100','Reims',49.2578,4.0319), ('FR','42000','Saint-Étienne',45.4397,4.3872),
  ('FR','83000','Toulon',43.1257,5.9304), ('FR','76600','Le Havre',49.4938,0.1077), ('FR','38000','Grenoble',45.1875,5.7358),
  ('FR','21000','Dijon',47.3215,5.0415), ('FR','49000','Angers',47.4736,-0.5542), ('FR','30000','Nîmes',43.8374,4.3601),
  ('FR','63000','Clermont-Ferrand',45.7797,3.0863), ('FR','72000','Le Mans',48.0061,0.1996),
  ('FR','13100','Aix-en-Provence',43.5283,5.4497), ('FR','29200','Brest',48.3904,-4.4861),
  ('FR','37000','Tours',47.3936,0.6892), ('FR','80000','Amiens',49.8942,2.2957), ('FR','87000','Limoges',45.8336,1.2611),
  ('FR','74000','Annecy',45.8992,6.1294), ('FR','66000','Perpignan',42.6986,2.8956), ('FR','57000','Metz',49.1193,6.1757),
  ('FR','25000','Besançon',47.2378,6.0241), ('FR','45000','Orléans',47.9025,1.9090), ('FR','76000','Rouen',49.4431,1.0993),
  ('FR','68100','Mulhouse',47.7508,7.3359), ('FR','14000','Caen',49.1829,-0.3707), ('FR','54000','Nancy',48.6921,6.1844),
  ('FR','93200','Saint-Denis',48.9362,2.3574), ('FR','95100','Argenteuil',48.9472,2.2467),
  ('FR','92100','Boulogne-Billancourt',48.8397,2.2399), ('FR','93100','Montreuil',48.8638,2.4485),
  ('FR','59100','Roubaix',50.6927,3.1778), ('FR','59140','Dunkerque',51.0344,2.3768),
  ('FR','84000','Avignon',43.9493,4.8055), ('FR','86000','Poitiers',46.5802,0.3404),
  ('FR','17000','La Rochelle',46.1603,-1.1511), ('FR','64000','Pau',43.2951,-0.3708),
  ('FR','78000','Versailles',48.8014,2.1301), ('FR','06400','Cannes',43.5528,7.0174), ('FR','62100','Calais',50.9513,1.8587),
  ('FR','26000','Valence',44.9334,4.8924), ('FR','73000','Chambéry',45.5646,5.9178),
  ('FR','56100','Lorient',47.7483,-3.3700), ('FR','22000','Saint-Brieuc',48.5144,-2.7603),
  ('FR','29000','Quimper',47.9960,-4.1024), ('FR','10000','Troyes',48.2973,4.0744), ('FR','18000','Bourges',47.0810,2.3988),
  ('FR','79000','Niort',46.3237,-0.4588), ('FR','85000','La Roche-sur-Yon',46.6705,-1.4264),
  ('FR','82000','Montauban',44.0176,1.3550), ('FR','65000','Tarbes',43.2328,0.0781), ('FR','81000','Albi',43.9298,2.1480),
  ('FR','11000','Carcassonne',43.2130,2.3491), ('FR','34500','Béziers',43.3442,3.2158),
  ('FR','20000','Ajaccio',41.9192,8.7386), ('FR','20200','Bastia',42.6973,9.4509),
  ('GP','97100','Basse-Terre',15.9985,-61.7255), ('MQ','97200','Fort-de-France',14.6037,-61.0670),
  ('GF','97300','Cayenne',4.9224,-52.3135), ('RE','97400','Saint-Denis',-20.8789,55.4481),
  ('YT','97600','Mamoudzou',-12.7806,45.2278), ('NC','98800','Nouméa',-22.2711,166.4416),
  ('BE','1000','Bruxelles',50.8466,4.3517), ('BE','1030','Schaerbeek',50.8676,4.3737),
  ('BE','1050','Ixelles',50.8333,4.3667), ('BE','1060','Saint-Gilles',50.8273,4.3457),
  ('BE','1070','Anderlecht',50.8361,4.3097), ('BE','1080','Molenbeek-Saint-Jean',50.8547,4.3286),
  ('BE','1180','Uccle',50.8024,4.3389), ('BE','1300','Wavre',50.7172,4.6014),
  ('BE','1348','Louvain-la-Neuve',50.6683,4.6144), ('BE','1400','Nivelles',50.5983,4.3286),
  ('BE','1500','Halle',50.7339,4.2345), ('BE','1800','Vilvoorde',50.9281,4.4245), ('BE','2000','Antwerpen',51.2199,4.4003),
  ('BE','2300','Turnhout',51.3225,4.9447), ('BE','2500','Lier',51.1313,4.5704), ('BE','2800','Mechelen',51.0280,4.4776),
  ('BE','3000','Leuven',50.8796,4.7009), ('BE','3300','Tienen',50.8074,4.9378), ('BE','3500','Hasselt',50.9307,5.3325),
  ('BE','3600','Genk',50.9661,5.5021), ('BE','3800','Sint-Truiden',50.8166,5.1865), ('BE','4000','Liège',50.6337,5.5675),
  ('BE','4100','Seraing',50.5986,5.5097), ('BE','4500','Huy',50.5192,5.2383), ('BE','4700','Eupen',50.6305,6.0331),
  ('BE','4800','Verviers',50.5891,5.8624), ('BE','5000','Namur',50.4669,4.8675), ('BE','5500','Dinant',50.2606,4.9122),
  ('BE','6000','Charleroi',50.4108,4.4446), ('BE','6600','Bastogne',50.0003,5.7153), ('BE','6700','Arlon',49.6833,5.8167),
  ('BE','7000','Mons',50.4542,3.9523), ('BE','7100','La Louvière',50.4867,4.1878), ('BE','7500','Tournai',50.6057,3.3878),
  ('BE','7700','Mouscron',50.7433,3.2139), ('BE','8000','Brugge',51.2093,3.2247), ('BE','8400','Oostende',51.2254,2.9195),
  ('BE','8500','Kortrijk',50.8280,3.2649), ('BE','8800','Roeselare',50.9465,3.1227), ('BE','8900','Ieper',50.8503,2.8770),
  ('BE','9000','Gent',51.0543,3.7174), ('BE','9100','Sint-Niklaas',51.1651,4.1437),
  ('BE','9200','Dendermonde',51.0283,4.1011), ('BE','9300','Aalst',50.9379,4.0409), ('GB','SW1A','London',51.5010,-0.1416),
  ('GB','EC1A','London',51.5203,-0.1010), ('GB','EC2A','London',51.5231,-0.0843), ('GB','E1','London',51.5170,-0.0590),
  ('GB','E14','London',51.5060,-0.0190), ('GB','N1','London',51.5380,-0.0990), ('GB','NW1','London',51.5340,-0.1440),
  ('GB','SE1','London',51.4980,-0.0890), ('GB','SW11','London',51.4650,-0.1630), ('GB','W1D','London',51.5130,-0.1310),
  ('GB','WC2N','London',51.5090,-0.1260), ('GB','B1','Birmingham',52.4790,-1.9090), ('GB','M1','Manchester',53.4770,-2.2340),
  ('GB','L1','Liverpool',53.4030,-2.9820), ('GB','LS1','Leeds',53.7970,-1.5480), ('GB','S1','Sheffield',53.3800,-1.4700),
  ('GB','NE1','Newcastle upon Tyne',54.9730,-1.6120), ('GB','BS1','Bristol',51.4520,-2.5960),
  ('GB','NG1','Nottingham',52.9550,-1.1490), ('GB','LE1','Leicester',52.6370,-1.1350),
  ('GB','CV1','Coventry',52.4080,-1.5100), ('GB','BD1','Bradford',53.7950,-1.7530), ('GB','HU1','Hull',53.7440,-0.3380),
  ('GB','ST1','Stoke-on-Trent',53.0240,-2.1750), ('GB','WV1','Wolverhampton',52.5870,-2.1210),
  ('GB','DE1','Derby',52.9230,-1.4760), ('GB','SO14','Southampton',50.9050,-1.3980),
  ('GB','PO1','Portsmouth',50.7990,-1.0850), ('GB','PL1','Plymouth',50.3700,-4.1460), ('GB','EX1','Exeter',50.7270,-3.5000),
  ('GB','BN1','Brighton',50.8410,-0.1450), ('GB','RG1','Reading',51.4540,-0.9680), ('GB','OX1','Oxford',51.7500,-1.2600),
  ('GB','CB1','Cambridge',52.1990,0.1400), ('GB','NR1','Norwich',52.6240,1.3070), ('GB','IP1','Ipswich',52.0660,1.1420),
  ('GB','MK9','Milton Keynes',52.0430,-0.7560), ('GB','LU1','Luton',51.8760,-0.4210),
  ('GB','NN1','Northampton',52.2380,-0.8920), ('GB','PE1','Peterborough',52.5830,-0.2410),
  ('GB','YO1','York',53.9590,-1.0790), ('GB','BA1','Bath',51.3900,-2.3650), ('GB','GL1','Gloucester',51.8630,-2.2390),
  ('GB','SN1','Swindon',51.5560,-1.7790), ('GB','BH1','Bournemouth',50.7230,-1.8640), ('GB','TR1','Truro',50.2640,-5.0510),
  ('GB','CT1','Canterbury',51.2790,1.0820), ('GB','PR1','Preston',53.7570,-2.7030), ('GB','BL1','Bolton',53.5880,-2.4380),
  ('GB','CH1','Chester',53.1930,-2.8950), ('GB','SR1','Sunderland',54.9080,-1.3780),
  ('GB','TS1','Middlesbrough',54.5740,-1.2370), ('GB','CA1','Carlisle',54.8900,-2.9200),
  ('GB','EH1','Edinburgh',55.9510,-3.1890), ('GB','G1','Glasgow',55.8600,-4.2470), ('GB','AB10','Aberdeen',57.1350,-2.1170),
  ('GB','DD1','Dundee',56.4600,-2.9700), ('GB','IV1','Inverness',57.4850,-4.2200), ('GB','PH1','Perth',56.4000,-3.4700),
  ('GB','CF10','Cardiff',51.4770,-3.1770), ('GB','SA1','Swansea',51.6240,-3.9300), ('GB','NP20','Newport',51.5850,-3.0050),
  ('GB','LL11','Wrexham',53.0480,-3.0000), ('GB','BT1','Belfast',54.6010,-5.9290),
  ('GB','BT48','Londonderry',55.0150,-7.3300);

insert into postcode_load (country, source, loaded_at, codes)
  select country, 'starter table', now(), count(*) from postcode group by country;
