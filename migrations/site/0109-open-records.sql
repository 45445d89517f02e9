-- For event streams, which read the open records of a site each second.
create index job_open on job (id) where state in ('Programmed', 'Generating', 'Sending', 'Paused');
create index import_open on import (id) where state in ('Scheduled', 'InProgress', 'Paused') and not is_deleted;
