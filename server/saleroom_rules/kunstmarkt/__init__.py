"""Der Prestel Kunstmarkt. The numbers of its rules (K-…) are those of PROTOCOL.md."""
