interface ChoiceProps<Value extends string> {
  readonly label: string;
  /** Values and their names. */
  readonly options: readonly (readonly [Value, string])[];
  /** Undefined if none of them holds. */
  readonly value: Value | undefined;
  readonly choose: (value: Value) => void;
}

/** A few values beside each other, one of which holds. */
export function Choice<Value extends string>({ label, options, value, choose }: ChoiceProps<Value>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a visible legend
    <div className="segments" role="group" aria-label={label}>
      {options.map(([option, name]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => choose(option)}>
          {name}
        </button>
      ))}
    </div>
  );
}
