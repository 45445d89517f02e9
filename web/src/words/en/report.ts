import { counted } from './counted.ts';

/** How many people joined or left, and how many of them are listed. */
interface Growth {
  readonly counted: number;
  readonly listed: number;
}

/** The results of a campaign. */
export const report = {
  funnel: 'From the audience to the clicks',
  audience: 'Audience',
  sent: 'Sent',
  delivered: 'Delivered',
  opened: 'Opened',
  clicked: 'Clicked',
  unsubscribed: 'Unsubscribed',
  notSent: (count: string) => `${count} not sent`,
  bounced: (count: string) => `${count} bounced:`,
  hard: 'hard',
  soft: 'soft',
  spam: 'refused as unwanted',
  noServer: 'without a mail server',
  opens: (count: string, isOne: boolean) => `${count} ${isOne ? 'open' : 'opens'}`,
  clickCount: (count: string, isOne: boolean) => `${count} ${isOne ? 'click' : 'clicks'}`,
  complained: 'complained',
  shares:
    'Percentages are of the delivered messages. Those of “Sent” and “Delivered” are of the step before.',
  who: 'Who counts',
  onlyPeople: 'People',
  withMachines: 'With machines',
  leftOut: (people: string, clicks: string) =>
    `Left out: ${people} whose messages only machines opened, and ${clicks} of machines.`,
  included: (people: string, clicks: string) =>
    `Included: ${people} whose messages only machines opened, and ${clicks} of machines.`,
  noMachines: 'No machine opened or clicked.',
  which: 'Segments and sendings',
  all: 'All sendings',
  countedAt: (time: string) => `Counted at ${time}`,
  young: (minutes: number) =>
    `It was sent ${minutes === 0 ? 'just now' : `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ago`}. Most opens come on the first day.`,
  uncertain: (people: string) =>
    `For ${people} it is uncertain whether the message arrived. It is not resent automatically.`,
  unreached: (people: string) => `Not reached: ${people}.`,
  rejected: 'rejected',
  expired: 'deferred until the time limit',
  showPeople: 'Show them',
  sendAgain: 'Send it again…',
  resend: 'Resend to them',
  atLeast: (people: string) => `at least ${people}`,
  resendTitle: (people: string, isPartial: boolean) =>
    isPartial ? `Resend to all of them, at least ${people}?` : `Resend to up to ${people}?`,
  resendText:
    'Nonexistent mailboxes, people who unsubscribed, and people who were reached since are left out. Uncertain ones are not resent.',
  resent: 'The sending to the people who were not reached starts in a moment.',
  message: 'Message',
  links: 'Links',
  link: 'Address',
  share: 'Share',
  clicks: 'Clicks',
  peopleColumn: 'People',
  noLinks: 'The message has no tracked link.',
  map: {
    number: 'No.',
    numbers: 'At each link: its number in the list, and its share of all clicks.',
    several: (count: number) =>
      count === 1
        ? 'One address is in several places: its figure is for all of them.'
        : `${count} addresses are in several places: their figures are for all of them.`,
    elsewhere: (count: number) =>
      count === 1
        ? 'One link is not in this HTML: it is in the plain text, an advertisement or another version.'
        : `${count} links are not in this HTML: they are in the plain text, advertisements or other versions.`,
  },
  ab: {
    title: 'A/B test',
    types: { Subject: 'Subjects', Sender: 'Sender names', Content: 'Advertisements' },
    variant: 'Variant',
    atChoice: 'At the choice',
    alwaysPeople: 'Shares at the choice are always of people: machines do not choose the winner.',
    winner: 'Winner',
    remainder: 'The others',
    gets: (what: string) => `They get “${what}”.`,
    waits: 'They wait for the winner.',
    by: { opens: 'human opens', clicks: 'human clicks' },
    due: (time: string, by: string) => `The winner is chosen on ${time}, on ${by}.`,
    later: (by: string) =>
      `The winner is chosen four hours after the last message of the variants was tried, on ${by}.`,
    none: 'The sending ended before a winner was chosen.',
    chosen: {
      best: (time: string, by: string) =>
        `Chosen on ${time}: the winner has the largest share of ${by} of its delivered messages.`,
      tie: (time: string, by: string) =>
        `Chosen on ${time}: several variants have the largest share of ${by}, so the others get the first one.`,
      tooFew: (time: string, _by: string) =>
        `Chosen on ${time}: a variant has fewer than 50 delivered messages, so the others get the first one.`,
    },
  },
  time: 'Over time',
  noTime: 'Nobody has opened or clicked yet.',
  unit: 'Unit of time',
  hour: 'Hours',
  day: 'Days',
  lineOpens: 'opens',
  lineClicks: 'clicks',
  half: (length: string) => `Half of all opens came within ${length} of the first.`,
  providers: 'By provider',
  provider: 'Provider',
  others: 'Others',
  far: 'far below the rest',
  newestOnly: (count: number) => `Of the newest ${count} sendings.`,
  segments: 'By segment',
  eachSending: 'A person is listed once for each sending.',
  changesEachSecond: 'While the sending runs, this list changes every second.',
  growthListed: ({ counted, listed }: Growth, count: (value: number) => string) => {
    if (listed === counted) return 'Listed by the dates in their profiles.';
    return listed < counted
      ? `${count(listed)} of ${count(counted)} can be listed, by the dates in their profiles. Not listed: people who were deleted, whose status has changed again since, or whose profile has no such date.`
      : `${count(listed)} people have such a date in their profile; the figure counts ${count(counted)}. Imports and programs can write other dates than the day of the change.`;
  },
  people: {
    nbOpeners: (people: string) => `${people} opened, machines included`,
    nbHumanOpeners: (people: string) => `${people} opened`,
    nbClickers: (people: string) => `${people} clicked, machines included`,
    nbHumanClickers: (people: string) => `${people} clicked`,
    nbUnsubs: (people: string) => `${people} unsubscribed`,
    nbHardBounces: (people: string) => `${people}: the mailbox does not exist`,
    nbSoftBounces: (people: string) => `${people}: the mailbox could not accept the message`,
    nbSpamBounces: (people: string) => `${people}: refused as unwanted`,
    nbDnsErrorsBounces: (people: string) => `${people}: no mail server`,
    nbSpamComplaints: (people: string) => `${people} complained`,
    nbAddressToSend: (people: string) => `${people} in the audience`,
    nbAddressSent: (people: string) => `${people}: the message was accepted`,
    nbDelivered: (people: string) => `${people}: accepted, and not returned`,
    nbReturned: (people: string) => `${people}: accepted, then returned`,
    refused: (people: string) => `${people}: the message was rejected`,
    expired: (people: string) => `${people}: deferred until the time limit`,
    deferred: (people: string) => `${people}: deferred, being retried`,
    uncertain: (people: string) => `${people}: uncertain`,
    nbWaiting: (people: string) => `${people} without a result, deferred ones included`,
    nbUntried: (people: string) => `${people} not attempted yet`,
  },
  happened: 'What happened',
  events: {
    requested: (who: string) => `${who} requested the sending.`,
    freezing: 'The audience is being frozen.',
    started: (people: string) => `The audience was frozen: ${people}.`,
    deferred: (code: string, people: string) =>
      `First deferral with ${code}; the sending went on. So far: ${people}.`,
    rejected: (code: string, people: string) =>
      `First rejection with ${code}; the sending went on. So far: ${people}.`,
    expired: (code: string, people: string) =>
      `First message given up after deferrals with ${code}. So far: ${people}.`,
    paused: (who: string) => `${who} paused it.`,
    resumed: (who: string) => `${who} resumed it.`,
    stopped: (who: string) => `${who} stopped it permanently.`,
    alone: {
      requested: 'The sending was requested.',
      paused: 'Paused automatically.',
      resumed: 'Resumed.',
      stopped: 'Stopped permanently.',
    },
    relaysAway: 'No relay could be used any longer.',
    relaysBack: 'A relay could be used again.',
    finished: 'The sending finished.',
    failed: 'It ended with an error.',
  },
  replies: 'Replies of mail servers',
  reply: 'Reply',
  noCode: 'without a code',
  noReplies: 'No server of this provider has rejected or deferred a message so far.',
  repliedTo: (people: string, reply: string) => `${people} with the reply ${reply}`,
  find: 'Part of the address or a field',
  noneFound: (text: string) => `Nobody here has “${text}” in their address or a text field.`,
  noPeople: 'Nobody is listed.',
  notRecorded:
    'The people of this import were not recorded: it ran in an older version or more than 400 days ago, or changed nothing.',
  deletedSince: (count: string, isOne: boolean) =>
    `${count} of them ${isOne ? 'was' : 'were'} deleted since and ${isOne ? 'is' : 'are'} not listed.`,
  erased: 'erased',
  more: 'Show more',
  shown: (from: string, of: string) => `${from} of ${of} are shown.`,
  shownLimited: (count: string) => `${counted(count, 'is', 'are')} shown.`,
  limits: {
    ids: { label: 'Only the people of a segment', any: 'All segments' },
    idFai: { label: 'Only the people of a provider', any: 'Any provider' },
    idLink: { label: 'Only the people who clicked a link', any: 'Any link' },
  },
  reading: (count: string) => `${count} read so far`,
  csvName: 'people',
  csvDays: (days: number) => `${days}-days`,
  csvHead: ['Number', 'Email', 'Reason'],
  target: 'Make a target of them',
  targetName: 'Name of the target',
  targetText: 'It holds those of them who are subscribed.',
  makeTarget: 'Make the target',
  tooManyForTarget: (most: string) =>
    `There are more than ${most} people now. A target can list no more than that.`,
  targetLimit: (most: string) => `These are too many for a target: it can list at most ${most} people.`,
  targetMade: (name: string, people: string) => `The target “${name}” has ${people}.`,
  writeOthers: 'Write to those who did not open',
  othersName: (name: string) => `Did not open: ${name}`,
  export: 'Export',
  exportDrawn: 'These people are drawn again for each page, so a file from here would mix several draws.',
  exportLimit: (most: string) =>
    `A file from here has at most ${most} people. An export can have all of them.`,
  exportWhat: 'What the file lists',
  exports: {
    1: 'All people, with the outcome of their message',
    2: 'People who opened',
    3: 'People who clicked',
    4: 'Clicks by link',
    5: 'People who unsubscribed',
    6: 'Hard bounces',
    7: 'Soft bounces',
    8: 'Complaints',
    9: 'Figures by provider',
  },
  exported: (email: string) => `The file is being prepared. You will get an email at ${email}.`,
  page: 'Page to share',
  makePage: 'Make the page',
  pageText: 'It shows the figures of this moment to everyone who has the address, for 30 days.',
};
