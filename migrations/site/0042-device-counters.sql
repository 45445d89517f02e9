-- The counters of hits again by device (activity/hit-change.ts): readers who open on both count in both rows.
create table device_counter (
  id_sent int not null,
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
  primary key (id_sent, is_mobile)
);
-- Aggregation reads the other hits of the same reader: the index holds all that it needs of them.
drop index hit_sent;
create index hit_sent on hit_folded (id_sent, id_subscriber) include (kind, class, is_viral, at, is_mobile);
insert into device_counter
select id_sent, is_mobile,
  sum(greatest(opens, least(clicks, 1))), count(*) filter (where opens + clicks > 0),
  sum(greatest(human_opens, least(human_clicks, 1))), count(*) filter (where human_opens + human_clicks > 0),
  sum(clicks), count(*) filter (where clicks > 0),
  sum(edito), count(*) filter (where edito > 0),
  sum(ad), count(*) filter (where ad > 0),
  sum(mirror), count(*) filter (where mirror > 0),
  sum(unsub), count(*) filter (where unsub > 0),
  sum(viral), count(*) filter (where viral > 0)
from (
  select id_sent, is_mobile,
    count(*) filter (where kind = 1) as opens,
    count(*) filter (where kind = 1 and class not in (2, 4, 5)) as human_opens,
    count(*) filter (where kind <> 1) as clicks,
    count(*) filter (where kind <> 1 and class not in (2, 4, 5)) as human_clicks,
    count(*) filter (where kind = 2 and not is_viral) as edito,
    count(*) filter (where kind = 5 and not is_viral) as ad,
    count(*) filter (where kind = 3 and not is_viral) as mirror,
    count(*) filter (where kind = 4 and not is_viral) as unsub,
    count(*) filter (where kind <> 1 and is_viral) as viral
  from hit_folded
  group by id_sent, is_mobile, id_subscriber) reader
group by id_sent, is_mobile;
