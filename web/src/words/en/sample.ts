/** Sample data: its card on an empty site, and the bar above every screen. */
export const sample = {
  title: 'Or look around first',
  text: 'Fill this site with 200 made-up people, a target of them and a draft. You can remove all of it at once.',
  fill: 'Fill with sample data',
  filled: (people: string) => `${people} made-up people are there.`,
  bar: (people: string) => `Sample data: ${people} made-up people.`,
  remove: 'Remove',
  removeAll: (people: string) => `Remove ${people} made-up people`,
  question: (people: string) => `Remove ${people} made-up people?`,
  consequence:
    'Their target and the draft are removed with them, even if you changed them. What you made yourself stays. ' +
    'A draft that was sent goes to the archive.',
  removed: (people: string) => `${people} made-up people are removed.`,
};
