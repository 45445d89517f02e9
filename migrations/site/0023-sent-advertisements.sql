-- The advertisements of its segment as they stood in its messages (SegmentAdvertisement[] of the API).
alter table sent add advertisements jsonb not null default '[]';
