package doctor

// lacksPart is the advice for a worker that lacks a part of the confinement.
const lacksPart = "docs/platforms.md says what this system can enforce; the other restrictions hold"
