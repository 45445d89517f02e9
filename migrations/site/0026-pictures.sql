-- The bytes of pictures, each once. `key` is their public address: random, so that it can be neither guessed nor
-- counted through. A file never changes, and neither does what its address shows.
create table picture_file (
  sha256 bytea primary key check (length(sha256) = 32),
  key text not null unique check (length(key) = 22),
  type text not null check (type in ('png', 'jpg', 'gif', 'webp')),
  width int not null check (width > 0),
  height int not null check (height > 0),
  size int not null check (size > 0),
  content bytea not null
);
-- Pictures are compressed already.
alter table picture_file alter content set storage external;

create table picture (
  id int generated always as identity primary key,
  id_user int not null,
  author text not null,
  name text not null check (length(name) between 1 and 255),
  file_name text not null check (length(file_name) between 1 and 255),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  sha256 bytea not null references picture_file
);
create index picture_sha256 on picture (sha256);

-- What became of the pictures of its HTML, as campaigns/picture-hosting.ts writes it; null when they were not hosted.
alter table campaign add auto_host_pictures_result jsonb;
