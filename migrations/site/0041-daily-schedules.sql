-- The daily schedule of a campaign, as it was requested. calendar_dates holds the dates to come, of a daily one the next.
alter table campaign add column daily_schedule jsonb;
