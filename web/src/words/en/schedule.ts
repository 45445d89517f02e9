/** Texts of dates to come: of campaigns and of nightly imports. */
export const schedule = {
  day: 'Day',
  time: 'Time in Paris',
  from: 'From',
  interval: 'Every how many days',
  until: 'Until',
  untilText: 'Without it there is no end.',
  noTime: 'Choose a time.',
  noInterval: 'Enter a number of days from 1 to 999.',
  noFrom: 'Choose the first day.',
  endsBefore: 'The last day must not be before the first.',
  noneLeft: 'No date is left before the last day.',
  isPast: 'This time is past.',
  isTwice: 'This date is listed twice.',
  inBothZones: (paris: string, own: string) => `${paris} in Paris, ${own} for you`,
  skipped: (time: string, day: string, instead: string) =>
    `${time} does not exist on ${day}, because the clocks go forward. It starts at ${instead}.`,
  twice: (time: string, day: string) => `${time} exists twice on ${day}, because the clocks go back.`,
  which: 'Which one',
  first: 'The first (summer time)',
  second: 'The second (winter time)',
  clocks: (time: string) =>
    `In the night when the clocks go forward, ${time} does not exist: it starts at 03:00. When they go back, ${time} exists twice: it starts the first time.`,
  everyDays: (days: number, time: string) =>
    days === 1 ? `every day at ${time}` : `every ${days} days at ${time}`,
  untilDay: (rule: string, day: string) => `${rule} until ${day}`,
  follows: (rule: string) => `Then ${rule}.`,
  coming: 'Next dates',
  andMore: (count: string) => `and ${count} more`,
  andSoOn: 'and so on',
  ways: { label: 'When it is sent', now: 'Now', dates: 'On dates', daily: 'Every few days' },
  date: (number: number) => `Date ${number}`,
  add: 'Add a date',
  removeDate: (date: string) => `Remove the date ${date}`,
  nowText: (delay: string) => `It starts ${delay} after you confirm.`,
  isPlanned: 'It waits for a date. To send it now, remove its schedule first.',
  textOfMany: (first: string, count: string, isTwo: boolean) =>
    `It starts on ${first}, and on ${isTwo ? 'one more date' : `${count} more dates`} (Paris time), each time with the content of that moment. People who join the segments before a date get it too.`,
  textOfDaily: (first: string, rule: string) =>
    `It starts on ${first}, then ${rule} (Paris time), each time with the content of that moment. People who join the segments before a date get it too.`,
  changed: (now: string) => `Another person has changed the schedule in the meantime. It is now: ${now}.`,
  removed: 'no date',
};
