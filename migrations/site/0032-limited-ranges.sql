-- The providers for whose limits all wait who are left in a range; null when anybody waits for something else.
alter table recipient_range add limited_by integer[];
