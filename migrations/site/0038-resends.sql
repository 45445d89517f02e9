-- A job that resends a campaign to the recipients whom an earlier job failed to reach: that job (never itself a resend),
-- and whether its uncertain recipients were requested as well.
alter table job
  add resend_of int references job,
  add resends_uncertain boolean not null default false;
create index job_resend on job (resend_of) where resend_of is not null;
