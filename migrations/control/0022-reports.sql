-- Reports of sendings, as they were when they were made. A report is found by the SHA-256 of its GUID alone: who reads
-- the database cannot open one.
create table report (
  guid_hash bytea primary key,
  id_site int not null references site(id) on delete cascade,
  figures jsonb not null,
  -- The click map: the HTML of the message with the share of each link; null for messages of text.
  message text,
  expires_at timestamptz not null
);
create index report_expires on report (expires_at);
create index report_site on report (id_site, expires_at);
