/** Texts for users whose right is less than a screen needs. */
export const rights = {
  campaigns: 'You can view campaigns, but not create them.',
  imports: 'You can view imports, but not start them.',
  mailbox: (site: string) =>
    `You can work on ${site}, but not view the built-in mailbox: it holds the messages of all sites.`,
  settings: (section: string) =>
    `You can view fields and sending configurations, but not “${section}”, which is for administrators.`,
  sending: 'You can write this campaign, but not send it.',
};
