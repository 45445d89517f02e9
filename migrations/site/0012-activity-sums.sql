-- Hits in two parts: as they come, in a table without any index, and folded into the sums below, by month. A hit is in
-- exactly one of them: whoever folds moves it in the transaction that adds it to the sums. So sums and hits that are
-- not folded yet, read in one statement, are the truth at that moment, whatever was killed and whoever else writes.
alter table hit rename to hit_new;
alter table hit_new alter id drop identity;
create sequence hit_id_seq;
select setval('hit_id_seq', coalesce((select max(id) from hit_new), 0) + 1, false);
alter table hit_new alter id set default nextval('hit_id_seq');
alter table hit_new add is_folded boolean not null default false;
drop index hit_sent;
-- A queue: what was moved away is cleared at once.
alter table hit_new set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0);
create table hit (like hit_new including defaults) partition by list (is_folded);
alter table hit attach partition hit_new for values in (false);
-- Its partitions are months (UTC): hit_2026_11. A month has one when it has hits.
create table hit_folded partition of hit for values in (true) partition by range (at);
create index hit_sent on hit_folded (id_sent, id_subscriber) include (kind, class, is_viral, at);
create index hit_link on hit_folded (id_link, at) where id_link is not null;
create index hit_at on hit_folded using brin (at) with (pages_per_range = 32, autosummarize = on);

-- The final states of at most some 1,000 recipients of a sent: a row is a range of the audience, lists are in the order
-- of the subscribers' ids. 10 bytes a recipient, where a row each with its two indexes takes 86.
create table receipt_range (
  id_sent int not null,
  first_subscriber int not null,
  last_subscriber int not null,
  subscribers int[] not null,
  -- 1 accepted, 2 refused, 3 expired, 4 uncertain, 5 cancelled.
  states smallint[] not null,
  codes smallint[] not null,
  id_providers int[] not null,
  -- When: the first moment, and milliseconds after it.
  first_at timestamptz not null,
  last_at timestamptz not null,
  delays int[] not null,
  is_folded boolean not null default false,
  primary key (id_sent, first_subscriber)
);
create index receipt_range_new on receipt_range (id_sent) where not is_folded;
insert into receipt_range (id_sent, first_subscriber, last_subscriber, subscribers, states, codes, id_providers,
  first_at, last_at, delays)
select id_sent, min(id_subscriber), max(id_subscriber), array_agg(id_subscriber order by id_subscriber),
  array_agg(state order by id_subscriber), array_agg(code order by id_subscriber),
  array_agg(id_provider order by id_subscriber), min(at), max(at),
  array_agg((extract(epoch from at - first_at) * 1000)::int order by id_subscriber)
from (
  select *, min(at) over (partition by id_sent, stretch, number) as first_at
  from (
    select *, (row_number() over (partition by id_sent, stretch order by id_subscriber) - 1) / 1000 as number
    -- Stretches of 20 days: a delay has 32 bits of milliseconds, and a job may have been paused for months.
    from (select *, floor(extract(epoch from at) / 1728000) as stretch from receipt) r
  ) r
) r
group by id_sent, stretch, number;
drop table receipt;
create view receipt as
select r.id_sent, one.id_subscriber, one.state, one.code, one.id_provider,
  r.first_at + one.delay * interval '1 millisecond' as at
from receipt_range r,
  unnest(r.subscribers, r.states, r.codes, r.id_providers, r.delays)
    as one (id_subscriber, state, code, id_provider, delay);

-- Sums of hits and receipts that are folded. How often each subscriber did something is held in bit planes of 32,768
-- subscribers (facteur.planes_add); acts: activity/act.ts. Test mailings are not in them.

-- Of so many Paris days (1, 4, 16, 64) from one on: activity/day-window.ts.
create table act_by_day (
  act smallint not null,
  days smallint not null,
  day date not null,
  chunk int not null,
  planes bit varying[] not null,
  primary key (act, days, day, chunk)
);
create table act_by_sent (
  act smallint not null,
  id_sent int not null,
  chunk int not null,
  planes bit varying[] not null,
  primary key (act, id_sent, chunk)
);
-- Who received a sent, on which Paris day.
create table received_by_day (
  id_sent int not null,
  day date not null,
  chunk int not null,
  received bit varying not null,
  primary key (id_sent, day, chunk)
);
create index received_by_day_day on received_by_day (day);

-- Of each sent, the counters that are made of hits (activity/counters.ts), test mailings too, and the time from the
-- first to the last of them. Written with every fold, so pages keep room for the new versions.
create table sent_counter (
  id_sent int primary key,
  first_at timestamptz not null,
  last_at timestamptz not null,
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
  viral_clickers bigint not null
) with (fillfactor = 50);
