import { ActionIcon, Menu, MultiSelect, NativeSelect, TextInput } from '@mantine/core';
import { IconDots, IconX } from '@tabler/icons-react';
import { FieldChoice } from '../subscribers/field-choice.tsx';
import { choicesOf, type Field, fieldName, useFieldText } from '../subscribers/fields.ts';
import { useWords, type Words } from '../words/words.tsx';
import { type Condition, isComplete, type Operator, operatorsOf, takes } from './condition.ts';

/** How an operator is said of a field. */
const operatorText = (texts: Words['targets'], field: Field, operator: Operator): string =>
  (field.fieldType === 'Date' && texts.dateOperators[operator as keyof Words['targets']['dateOperators']]) ||
  texts.operators[operator];

interface RowProps {
  readonly condition: Condition;
  readonly fields: readonly Field[];
  /** Why the API rejected it. */
  readonly error: string | undefined;
  readonly change: (next: Condition) => void;
  readonly remove: () => void;
  /** Undefined for the first one. */
  readonly moveUp: (() => void) | undefined;
  /** Undefined for the last one. */
  readonly moveDown: (() => void) | undefined;
}

/** One condition while it is edited: field, comparison, value. */
export function ConditionRow({ condition, fields, error, change, remove, ...moves }: RowProps) {
  const { words } = useWords();
  const texts = words.targets;
  const field = fields.find(({ id }) => id === condition.idField);
  const name = field ? fieldName(words, field) : String(condition.idField);
  const chooseField = (next: Field) =>
    change({ ...condition, idField: next.id, operator: operatorsOf(next)[0]!, value: '' });
  return (
    <li className="condition">
      {field ? (
        <>
          <div className="of">
            <FieldChoice aria-label={texts.field} fields={fields} value={field} choose={chooseField} />
          </div>
          {/* Another program may have stored a comparison that is not offered here. */}
          <NativeSelect
            className="how"
            aria-label={`${texts.operator}: ${name}`}
            value={condition.operator}
            error={Boolean(error)}
            onChange={(event) => change(withOperator(condition, event.currentTarget.value as Operator))}
          >
            {[...new Set([...operatorsOf(field), condition.operator])].map((operator) => (
              <option key={operator} value={operator}>
                {operatorText(texts, field, operator)}
              </option>
            ))}
          </NativeSelect>
          <div className="what">
            <Value
              condition={condition}
              field={field}
              setValue={(value) => change({ ...condition, value })}
            />
          </div>
        </>
      ) : (
        <p className="small red broken">{texts.gone(condition.idField)}</p>
      )}
      <div className="acts">
        {(moves.moveUp || moves.moveDown) && <OrderMenu name={name} {...moves} />}
        <ActionIcon aria-label={texts.remove(name)} title={texts.remove(name)} onClick={remove}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </div>
      {field && !isComplete(condition) && <p className="label text-3 hint">{texts.incomplete}</p>}
      {error && (
        <p className="small red name hint" role="alert">
          {error}
        </p>
      )}
    </li>
  );
}

/** Moves a condition among the others, for those without its keys. */
function OrderMenu({ name, moveUp, moveDown }: OrderMenuProps) {
  const texts = useWords().words.targets;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={texts.orderOf(name)} title={texts.orderOf(name)}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={!moveUp} onClick={moveUp}>
          {texts.moveUp}
        </Menu.Item>
        <Menu.Item disabled={!moveDown} onClick={moveDown}>
          {texts.moveDown}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
interface OrderMenuProps extends Pick<RowProps, 'moveUp' | 'moveDown'> {
  readonly name: string;
}

/** The condition with another comparison; the value stays if it still fits. */
const withOperator = (condition: Condition, operator: Operator): Condition => ({
  ...condition,
  operator,
  value: takes(operator) === takes(condition.operator) ? condition.value : '',
});

interface ValueProps {
  readonly condition: Condition;
  readonly field: Field;
  readonly setValue: (value: string) => void;
}

function Value({ condition: { operator, value }, field, setValue }: ValueProps) {
  const { words } = useWords();
  const texts = words.targets;
  const label = `${texts.value}: ${fieldName(words, field)}`;
  const choices = choicesOf(words, field);
  const kind = takes(operator);
  const type = field.fieldType === 'Date' ? 'date' : 'text';
  const numeric = field.fieldType === 'Integer' ? ({ inputMode: 'numeric' } as const) : {};
  if (kind === 'none') return null;
  if (kind === 'days')
    return (
      <TextInput
        aria-label={`${label} (${texts.days})`}
        inputMode="numeric"
        placeholder="30"
        value={value}
        rightSection={<span className="label text-3">{texts.days.toLowerCase()}</span>}
        rightSectionWidth={52}
        onChange={(event) => setValue(event.currentTarget.value.replaceAll(/\D/g, '').slice(0, 5))}
      />
    );
  if (kind === 'several')
    return choices ? (
      <MultiSelect
        aria-label={label}
        data={[...choices]}
        value={value === '' ? [] : value.split(';')}
        onChange={(values) => setValue(values.join(';'))}
      />
    ) : (
      <TextInput
        aria-label={label}
        placeholder={texts.several}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
    );
  if (kind === 'two') {
    const [from = '', to = ''] = value.split(';');
    return (
      <span className="between">
        <TextInput
          type={type}
          {...numeric}
          aria-label={`${label} (${texts.from})`}
          value={from}
          onChange={(event) => setValue(`${event.currentTarget.value.replaceAll(';', '')};${to}`)}
        />
        <TextInput
          type={type}
          {...numeric}
          aria-label={`${label} (${texts.to})`}
          value={to}
          onChange={(event) => setValue(`${from};${event.currentTarget.value.replaceAll(';', '')}`)}
        />
      </span>
    );
  }
  if (choices)
    return (
      <NativeSelect
        aria-label={label}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
      >
        <option value="">–</option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </NativeSelect>
    );
  return (
    <TextInput
      type={type}
      {...numeric}
      aria-label={label}
      value={value}
      onChange={(event) => setValue(event.currentTarget.value)}
    />
  );
}

/** A condition as a sentence, for people who may not change it. */
export function ConditionText({
  condition,
  fields,
}: {
  readonly condition: Condition;
  readonly fields: readonly Field[];
}) {
  const { words } = useWords();
  const texts = words.targets;
  const say = useFieldText();
  const field = fields.find(({ id }) => id === condition.idField);
  if (!field) return <li className="small red">{texts.gone(condition.idField)}</li>;
  const { operator, value } = condition;
  const kind = takes(operator);
  const said =
    kind === 'days'
      ? value
      : value
          .split(';')
          .map((one) => say(field, one))
          .join(', ');
  const text = operatorText(texts, field, operator);
  return (
    <li>
      <span className="strong">
        <bdi>{fieldName(words, field)}</bdi>
      </span>{' '}
      {kind === 'days' ? text.replace('…', said) : text}{' '}
      {kind !== 'days' && kind !== 'none' && <bdi>{said}</bdi>}
    </li>
  );
}
