"""Tables that other packages hold: their files are read without their code, compared with checksums and built once."""
