-- The members of frozen messages follow the field's word: placements. In JSON text only a member's name is followed by
-- an unescaped quote and a colon, so no text of a user is changed.
update job set frozen = replace(replace(frozen::text, '"placing": ', '"placement": '), '"placings": ', '"placements": ')::jsonb
where frozen::text ~ '"placings?": ';
update single_send
set frozen = replace(replace(frozen::text, '"placing": ', '"placement": '), '"placings": ', '"placements": ')::jsonb
where frozen::text ~ '"placings?": ';
