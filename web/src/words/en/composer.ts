/** Writing, checking and sending one campaign. */
export const composer = {
  starter: {
    name: 'New campaign',
    segment: 'All subscribed people',
    html: `<!doctype html>
<html lang="en">
<body style="margin:0;background:#ffffff;color:#1f1d1a;font:16px/24px sans-serif">
<div style="max-width:600px;margin:0 auto;padding:24px">
<h1 style="font-size:24px;line-height:32px">Hello</h1>
<p>Write your message here.</p>
</div>
</body>
</html>
`,
  },
  name: 'Name',
  subject: 'Subject',
  preheader: 'Preheader',
  preheaderHint: 'Shown after the subject in the list of a mail program',
  characters: (count: string) => `${count} characters`,
  html: 'HTML',
  byteExact: 'Kept to the byte',
  parts: { write: 'Write', preview: 'Preview' },
  part: 'Part',
  saved: (time: string) => `Saved at ${time}`,
  saving: 'Saving',
  unsaved: 'Not saved yet',
  keptHere: 'Kept in this browser',
  notSaved: 'This could not be saved. It is kept in this browser.',
  restored: 'Changes that were kept in this browser are shown. They are not saved yet.',
  discard: 'Discard them',
  readOnly: 'You can view campaigns, but not change them.',
  changedElsewhere: (author: string) =>
    `${author} saved this campaign while you were writing. None of your work is lost.`,
  theirs: 'Saved version',
  yours: 'Your version',
  keepYours: 'Save yours',
  takeTheirs: 'Take the saved one',
  previewAs: (email: string) => `as ${email}`,
  previewTitle: 'Preview of the message',
  previewNobody: 'A preview needs a segment with at least one person.',
  asWritten: 'As it is written; tags are filled when it is saved',
  saveNow: 'Save now',
  desktop: 'Desktop width',
  phone: 'Phone width',
  width: 'Width of the preview',
  checklist: 'Checklist',
  ready: 'Ready',
  missing: (count: number) => (count === 1 ? '1 thing is missing' : `${count} things are missing`),
  items: {
    hasConfig: ['Sender and footer', 'Choose a sending configuration'],
    hasSubject: ['Subject', 'Write a subject'],
    hasHtml: ['Content', 'Write a message'],
    hasUnsub: ['Unsubscribe link', 'Add [[LINK.UNSUB]] to the message or its footer'],
    hasSendingFilter: ['Segments', 'Choose who gets the message'],
    hasSegmentNotExcluded: ['Someone to send to', 'At least one segment must not be excluded'],
    isTargetSafe: ['Targets are safe', 'A target includes people who may not be written to'],
    isTracked: ['Links are tracked', 'Links are not tracked'],
  } as Readonly<Record<string, readonly [done: string, missing: string]>>,
  sender: 'Sender',
  noSender: 'No sending configuration yet',
  audience: 'Audience',
  people: 'people get it, each once',
  person: 'person gets it',
  counting: 'Counting',
  noSegment: 'No segment yet',
  addSegment: 'Add a segment',
  chooseTarget: 'Choose a target',
  noTargets: 'There is no target yet.',
  notSafe: 'Not safe',
  excluded: 'excluded',
  remove: (name: string) => `Remove the segment “${name}”`,
  removed: (name: string) => `The segment “${name}” is removed.`,
  inTarget: (count: string) => `${count} in the target`,
  review: 'Review and send',
  confirm: {
    title: (name: string, people: string) => `Send “${name}” to ${people}?`,
    text: (seconds: string) =>
      `It starts ${seconds} after you confirm. You can pause at any time; people who already have the message keep it.`,
    field: 'To confirm, type the number of people',
    back: 'Go back',
    send: (people: string) => `Send to ${people}`,
    subject: 'Subject',
    nobody: 'The segments hold nobody who may be written to.',
  },
  countdown: (name: string, seconds: number) => `“${name}” starts in ${seconds} s.`,
  undone: (name: string) => `“${name}” is not sent.`,
};
