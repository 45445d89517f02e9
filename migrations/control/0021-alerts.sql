-- Complaints about the messages from one sender's domain to one provider (0: domains of no provider). Of a pair at most
-- one alert is open. Its figures are those of the window that raised it.
create table alert (
  id uuid primary key default gen_random_uuid(),
  id_site int not null references site(id) on delete cascade,
  sender_domain text not null,
  id_provider int not null,
  -- 1: a warning. 2: suspended by the last hour. 3: suspended by the last 24 hours, until somebody unlocks it.
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
