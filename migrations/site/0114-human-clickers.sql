-- Recipients with a click by a person. Clicks are all kinds but opens (activity/hit.ts); machines are the classes of
-- privacy protection, scanners and bursts (activity/hit-class.ts).
alter table sent_counter add human_clickers bigint not null default 0;
alter table device_counter add human_clickers bigint not null default 0;

-- One pass over the aggregated hits; the others are added when they are aggregated. Three million hits take 1.6 s. An
-- operator can have dropped the hits of old months: who was a machine is not known then, and all clickers count.
create temp table clicker on commit drop as
  select id_sent, id_subscriber, is_mobile, bool_or(class not in (2, 4, 5)) as is_human
  from hit_folded
  where kind <> 1
  group by id_sent, id_subscriber, is_mobile;
update device_counter d
set human_clickers = case when coalesce(c.n, 0) = d.clickers then coalesce(c.humans, 0) else d.clickers end
from device_counter own
  left join (
    select id_sent, is_mobile, count(*) as n, count(*) filter (where is_human) as humans
    from clicker group by id_sent, is_mobile) c using (id_sent, is_mobile)
where own.id_sent = d.id_sent and own.is_mobile = d.is_mobile and d.clickers > 0;
update sent_counter s
set human_clickers = case when coalesce(c.n, 0) = s.clickers then coalesce(c.humans, 0) else s.clickers end
from sent_counter own
  left join (
    select id_sent, count(distinct id_subscriber) as n, count(distinct id_subscriber) filter (where is_human) as humans
    from clicker group by id_sent) c using (id_sent)
where own.id_sent = s.id_sent and s.clickers > 0;
drop table clicker;
