-- Which process runs which worker of the job queue. Each process holds an advisory lock of its key for as long as it
-- lives: when the lock is free, the process is gone, and the jobs that its workers hold can be given to others.
create table job_worker (
  id_worker text primary key,
  lock_key int not null
);
create index job_worker_lock_key on job_worker (lock_key);
