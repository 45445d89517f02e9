-- How the pages of readers look (unsubscription, forward) and their language; '' is the service's own or the reader's.
alter table sending_configuration
  add page_language text not null default '',
  add page_color text not null default '',
  add page_logo text not null default '';
