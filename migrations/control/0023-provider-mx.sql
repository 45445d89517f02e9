-- Mail servers by which a provider is known: domains of others that it hosts belong to it, too.
create table provider_mx (
  suffix text primary key,
  id_provider int not null references provider on delete cascade
);
insert into provider_mx (suffix, id_provider)
select suffix, p.id
from (values ('google.com', 'Gmail'), ('googlemail.com', 'Gmail'), ('outlook.com', 'Microsoft'),
  ('yahoodns.net', 'Yahoo'), ('icloud.com', 'Apple'), ('protonmail.ch', 'Proton'), ('ovh.net', 'OVHcloud')) known (suffix, name)
  join provider p on p.name = known.name;

-- The mail server of a domain, the preferred one, as DNS last gave it; '' for a domain without.
create table mail_domain (
  domain text primary key,
  server text not null,
  resolved_at timestamptz not null
);

-- Rows that follow from the two tables above; the others are what administrators say.
alter table provider_domain add is_by_mx boolean not null default false;
