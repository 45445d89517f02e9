/** Starts other work of the process, which requests its next turn as soon as it has had one. */
export function startOther() {
  const other = { turns: 0, leave: () => clearImmediate(next) };
  const take = () => {
    other.turns++;
    next = setImmediate(take);
  };
  let next = setImmediate(take);
  return other;
}
