-- == campaigns

-- The MJML that the HTML of a campaign was made from, for editors of blocks. No message is made from it.
create table campaign_mjml (
  id_campaign int primary key references campaign on delete cascade,
  mjml text not null,
  -- SHA-256 of the HTML that was stored with it. The MJML is current while the campaign has that HTML.
  html_digest bytea not null
);
