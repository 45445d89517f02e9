-- A slice reads tables of its own and of slices before it. These views show earlier slices what they need of later ones.

-- == campaigns

-- The targets that campaigns use which are scheduled or being sent.
create view target_use as
select (parameters ->> 'idTestTarget')::int as id_target, id as id_campaign
from campaign
where schedule_state in ('Programmed', 'InProgress', 'Paused')
union
select s.id_target, c.id
from campaign c
  join segment s on s.id_campaign = c.id
where c.schedule_state in ('Programmed', 'InProgress', 'Paused');

-- The thematics of each tracked link: its own, and those of the advertisement that it belongs to.
create view link_thematic as
select id as id_link, (parameters ->> 'idThematic')::int as id_thematic
from tracked_link
union all
select link.id, unnest(a.ids_thematic)
from advertisement a
  join tracked_link link on link.id_advertisement = a.id;

create view known_campaign as
select id, name
from campaign;

-- == sending

-- The joins are outer ones so that PostgreSQL omits the tables that a statement does not need.
create view known_sent as
select s.id, s.id_job, s.segment_name, j.id_campaign, j.campaign_name, j.is_test, j.started_at,
  coalesce(c.parameters ->> 'type', 'Unknown') as campaign_type, (c.parameters ->> 'idThematic')::int as id_thematic
from sent s
  left join job j on j.id = s.id_job
  left join campaign c on c.id = j.id_campaign;

create view range_progress as
select id_job, number, id_sent, is_done, nb_accepted, subscribers
from recipient_range;

-- Final states in the logs of ranges that are not done; a range that is done has them in its receipts.
create view logged_outcome as
select r.id_job, r.number, r.id_sent, o.id_subscriber, o.state, l.at
from recipient_range r
  join send_log l on l.id_job = r.id_job and l.range_number = r.number,
  unnest(l.outcomes, l.states) o (id_subscriber, state)
where not r.is_done;

-- == imports

-- One row: the import whose rows are being written. A snapshot ends with the server that took it.
create view merge_progress as
select version, id_import,
  case when server_started_at = pg_postmaster_start_time() then snapshot end as snapshot
from merge_state;
