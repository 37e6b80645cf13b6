// What is known of users and groups, in the terms of RFC 7643. One table answers for reading and writing resources, for
// filters, patches and projections, and for the Schemas endpoint. What is not in it is neither stored nor shown.

export type Attribute = {
  name: string;
  type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';
  description: string;
  multiValued?: true;
  required?: true;
  caseExact?: true;
  readOnly?: true;
  /** Shown whatever the client asks for. */
  always?: true;
  unique?: true;
  /** What a value usually is; others are taken as well, unless the description says that it is always one of these. */
  canonicalValues?: string[];
  /** What a reference leads to. */
  referenceTypes?: ('User' | 'Group' | 'external')[];
  subAttributes?: Attribute[];
};

export type Schema = { id: string; name: string; description: string; attributes: Attribute[] };

export type ResourceKind = {
  name: 'User' | 'Group';
  endpoint: '/Users' | '/Groups';
  core: Schema;
  extensions: Schema[];
};

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...more,
});
const complex = (
  name: string,
  description: string,
  subAttributes: Attribute[],
  more: Partial<Attribute> = {},
) => ({ name, type: 'complex', description, subAttributes, ...more }) satisfies Attribute;
const many = { multiValued: true } as const;
const readOnly = { readOnly: true } as const;

const plural = (...types: string[]): Attribute[] => [
  text('display', 'A name for people'),
  ...kindOf(...types),
];
const kindOf = (...types: string[]): Attribute[] => [
  text('type', 'What it is for', { canonicalValues: types }),
  { name: 'primary', type: 'boolean', description: 'Whether it is the preferred one' },
];

const reference = (to: 'User' | 'Group', description: string, more: Partial<Attribute> = {}): Attribute => ({
  name: '$ref',
  type: 'reference',
  referenceTypes: [to],
  description,
  caseExact: true,
  ...more,
});

/** Attributes every resource has; no schema lists them. */
export const common: Attribute[] = [
  text('id', "The service's name of the resource", { readOnly: true, caseExact: true, always: true }),
  text('externalId', "The directory's own name of the resource", { caseExact: true }),
  complex(
    'meta',
    'About the resource itself',
    [
      text('resourceType', 'User or Group', { caseExact: true }),
      { name: 'created', type: 'dateTime', description: 'When it was made' },
      { name: 'lastModified', type: 'dateTime', description: 'When it last changed' },
      { name: 'location', type: 'reference', description: 'Its address', caseExact: true },
      text('version', 'Its ETag', { caseExact: true }),
    ],
    readOnly,
  ),
];

export const userSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A person of the organization',
  attributes: [
    text('userName', 'By which the person is known in the directory', { required: true, unique: true }),
    complex('name', 'The parts of the name', [
      text('formatted', 'The whole name'),
      text('familyName', 'The family name'),
      text('givenName', 'The given name'),
      text('middleName', 'The middle names'),
      text('honorificPrefix', 'A title before the name'),
      text('honorificSuffix', 'A title after the name'),
    ]),
    text('displayName', 'The name shown to others'),
    text('nickName', 'A casual name'),
    {
      name: 'profileUrl',
      type: 'reference',
      referenceTypes: ['external'],
      description: 'A page about the person',
    },
    text('title', 'The title in the organization'),
    text('userType', 'The relation to the organization'),
    text('preferredLanguage', 'As in Accept-Language'),
    text('locale', 'For numbers, dates and currency'),
    text('timezone', 'A zone of the IANA database'),
    { name: 'active', type: 'boolean', description: 'Whether the person may sign in' },
    complex(
      'emails',
      'E-mail addresses. The primary one, else the one for work, else the first is where mail goes; no other person of ' +
        'the organization may have it. Only where userName is an e-mail address may they be left out',
      [text('value', 'The address', { required: true }), ...plural('work', 'home', 'other')],
      { ...many, required: true },
    ),
    complex(
      'phoneNumbers',
      'Telephone numbers',
      [text('value', 'The number'), ...plural('work', 'home', 'mobile', 'fax', 'pager', 'other')],
      many,
    ),
    complex(
      'addresses',
      'Postal addresses',
      [
        text('formatted', 'The whole address'),
        text('streetAddress', 'Street and number'),
        text('locality', 'City'),
        text('region', 'State or region'),
        text('postalCode', 'Postal code'),
        text('country', 'Country code'),
        ...kindOf('work', 'home', 'other'),
      ],
      many,
    ),
    complex(
      'groups',
      'The groups the person belongs to',
      [
        text('value', "The group's id", { ...readOnly, caseExact: true }),
        reference('Group', "The group's address", readOnly),
        text('display', "The group's displayName", readOnly),
        text('type', 'Always direct', { ...readOnly, canonicalValues: ['direct'] }),
      ],
      { ...many, ...readOnly },
    ),
  ],
};

export const enterpriseSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'The person within a company',
  attributes: [
    text('employeeNumber', 'The number in the company'),
    text('costCenter', 'The cost center'),
    text('organization', 'The organization'),
    text('division', 'The division'),
    text('department', 'The department'),
    complex('manager', 'Whom the person reports to', [
      text('value', "The manager's id", { caseExact: true }),
      reference('User', "The manager's address"),
      text('displayName', "The manager's name"),
    ]),
  ],
};

export const groupSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'People who get a role together, where the provider maps the name of the group to one',
  attributes: [
    text('displayName', 'The name, by which a role is given', { required: true, unique: true }),
    complex(
      'members',
      'The people in it',
      [
        text('value', "The user's id", { required: true, caseExact: true }),
        reference('User', "The user's address"),
        text('display', "The user's name", readOnly),
        text('type', 'Always User', { canonicalValues: ['User'] }),
      ],
      many,
    ),
  ],
};

export const userKind: ResourceKind = {
  name: 'User',
  endpoint: '/Users',
  core: userSchema,
  extensions: [enterpriseSchema],
};
export const groupKind: ResourceKind = {
  name: 'Group',
  endpoint: '/Groups',
  core: groupSchema,
  extensions: [],
};

const sameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** Names of attributes and schemas are not case-sensitive; the table's spelling is the one that is kept. */
export const findAttribute = (attributes: Attribute[], name: string): Attribute | undefined =>
  attributes.find((attribute) => sameName(attribute.name, name));

export const findExtension = (kind: ResourceKind, uri: string): Schema | undefined =>
  kind.extensions.find(({ id }) => sameName(id, uri));

export const rootAttributes = (kind: ResourceKind): Attribute[] => [...common, ...kind.core.attributes];
