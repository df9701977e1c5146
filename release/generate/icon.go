package main

import (
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
)

// size is the width and height of the icon in pixels.
const size = 512

// stroke is a line with round ends.
type stroke struct{ x1, y1, x2, y2, width float64 }

var (
	ground = color.NRGBA{0x12, 0x2b, 0x3a, 0xff}
	ink    = color.NRGBA{0xf4, 0xf7, 0xf5, 0xff}
	accent = color.NRGBA{0xf2, 0xa6, 0x3b, 0xff}

	brackets = []stroke{
		{196, 112, 160, 112, 34}, {160, 112, 140, 140, 34}, {140, 140, 140, 220, 34}, {140, 220, 108, 256, 34},
		{108, 256, 140, 292, 34}, {140, 292, 140, 372, 34}, {140, 372, 160, 400, 34}, {160, 400, 196, 400, 34},
	}
	prompt = []stroke{{222, 190, 288, 256, 38}, {288, 256, 222, 322, 38}}
)

// icon draws the icon of the plugin, a prompt and the curly brackets of a script, into
// plugins/toolscript/.claude-plugin/icon.png, or into the file that is named.
func icon() error {
	if len(os.Args) != 2 {
		return errors.New("usage: icon FILE.png")
	}
	return write(os.Args[1])
}

func write(path string) error {
	f, err := os.Create(path) //nolint:gosec // G304: the file that the caller names
	if err != nil {
		return err
	}
	if err := png.Encode(f, draw()); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

func draw() image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			m.SetNRGBA(x, y, at(float64(x)+0.5, float64(y)+0.5))
		}
	}
	return m
}

// at returns the colour of a point.
func at(x, y float64) color.NRGBA {
	c := color.NRGBA{}
	c = over(c, ground, roundedSquare(x, y))
	for _, s := range brackets {
		mirrored := stroke{size - s.x1, s.y1, size - s.x2, s.y2, s.width}
		c = over(c, ink, math.Max(s.cover(x, y), mirrored.cover(x, y)))
	}
	for _, s := range prompt {
		c = over(c, accent, s.cover(x, y))
	}
	return c
}

// cover returns the part of a pixel that the stroke covers, from 0 to 1.
func (s stroke) cover(x, y float64) float64 {
	dx, dy := s.x2-s.x1, s.y2-s.y1
	t := math.Max(0, math.Min(1, ((x-s.x1)*dx+(y-s.y1)*dy)/(dx*dx+dy*dy)))
	distance := math.Hypot(x-s.x1-t*dx, y-s.y1-t*dy)
	return edge(s.width/2 - distance)
}

// roundedSquare returns the part of a pixel that the ground covers, from 0 to 1.
func roundedSquare(x, y float64) float64 {
	const half, radius = size / 2, 96
	dx := math.Max(math.Abs(x-half)-(half-radius), 0)
	dy := math.Max(math.Abs(y-half)-(half-radius), 0)
	return edge(radius - math.Hypot(dx, dy))
}

// edge returns the part of a pixel that a shape covers if the pixel's centre is this far inside it.
func edge(inside float64) float64 { return math.Max(0, math.Min(1, inside+0.5)) }

// over returns the colour below with c laid over a part of it, from 0 to 1.
func over(below, c color.NRGBA, part float64) color.NRGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-part) + float64(b)*part)) }
	if below.A == 0 {
		return color.NRGBA{c.R, c.G, c.B, uint8(math.Round(part * 255))}
	}
	return color.NRGBA{mix(below.R, c.R), mix(below.G, c.G), mix(below.B, c.B), below.A}
}
